// One request and its response from accept to record: its identity, what it waits for (the watchdog looks at it), how it is
// ended from outside, and what will be recorded of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ShareOwner } from '../../common/shares.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import type { Usage } from '../conversation/usage.ts';
import { GatewayError } from '../errors.ts';
import type { Received } from '../upstream/attempt.ts';
import type { Ticket } from './admission.ts';
import { RequestHeaders, requestId } from './headers.ts';

/** The client closed the connection before its answer was complete, or takes nothing of it. Logged as 499, answered to nobody. */
export class ClientGone extends Error {
  readonly code: 'client_left' | 'client_stalled';

  constructor(code: ClientGone['code']) {
    super(code);
    this.name = 'ClientGone';
    this.code = code;
  }
}

/** What a stage waits for, as far as it can be ended. */
export interface Abortable {
  abort(error: Error, exchange: Exchange): void;
}

/** What a request may be waiting for; undefined = the gateway itself. */
export type Waiting = 'body' | 'head' | 'event' | 'reader' | undefined;

/** What the access log and the metrics tell of a request. */
export interface RequestRecord {
  route: string;
  organizationId: string | undefined;
  keyId: string | undefined;
  /** Of a key that was sent and is not known here: its last characters. */
  keyHint: string | undefined;
  projectKeyId: string | undefined;
  provider: string | undefined;
  /** The stored key that the provider was to be called with. */
  providerKeyId: string | undefined;
  /** By its canonical name, without the provider. */
  model: string | undefined;
  /** As the caller named it, where that is another name. */
  modelSent: string | undefined;
  /** The model's name in catalog or configuration, where they know it: only then is it a metric label. */
  catalogName: string | undefined;
  status: number;
  errorCode: string | undefined;
  errorSource: 'gateway' | 'provider' | undefined;
  /** Logged, never sent. */
  cause: unknown;
  /** The limit or budget that decided. */
  limitId: string | undefined;
  /** How the provider names the request that it failed. */
  upstreamRequestId: string | undefined;
  attempts: number;
  streamed: boolean;
  direct: boolean;
  usage: Usage | undefined;
  /** As the ledger settled it, in nano-dollars: what the provider did not report is estimated. */
  costNano: number;
  /** Why the cost is estimated; undefined where it is not. */
  estimateReason: EstimateReason | undefined;
  /** What a whole answer tells of its cost, USD; undefined where it is not known. */
  costText: string | undefined;
  /** As the provider named it. */
  modelAnswered: string | undefined;
  requestBytes: number;
  /** Monotonic, when the first byte of the answer was there, while it was for the caller. */
  firstByteAt: number | undefined;
  /** Monotonic, when the provider's response was read on without its caller: what the caller got of it ended then. */
  readOnAt: number | undefined;
  /** For how long it was read on. */
  readOnMs: number | undefined;
  /** What the answer tells of the caller's limits: names and values in turn. */
  limitHeaders: readonly string[];
  /** What the answer tells of the guardrails that apply; undefined where none does. */
  guardrailHeader: string | undefined;
  /** The guardrails that did not pass, in the same form. */
  guardrailsNotPassed: string | undefined;
}

/** How a request came. */
export interface Arrival {
  /** Of its caller: behind proxies that are trusted the one that they report. */
  readonly address: string;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** There is no room for its connection: all that it gets is to be told. Default: false. */
  readonly isRefused?: boolean;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: RequestHeaders;
  readonly id: string;
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** There is no room for its connection: all that it gets is to be told. */
  readonly isRefused: boolean;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly record: RequestRecord = {
    route: 'none',
    organizationId: undefined,
    keyId: undefined,
    keyHint: undefined,
    projectKeyId: undefined,
    provider: undefined,
    providerKeyId: undefined,
    model: undefined,
    modelSent: undefined,
    catalogName: undefined,
    status: 0,
    errorCode: undefined,
    errorSource: undefined,
    cause: undefined,
    limitId: undefined,
    upstreamRequestId: undefined,
    attempts: 0,
    streamed: false,
    direct: false,
    usage: undefined,
    costNano: 0,
    estimateReason: undefined,
    costText: undefined,
    modelAnswered: undefined,
    requestBytes: 0,
    firstByteAt: undefined,
    readOnAt: undefined,
    readOnMs: undefined,
    limitHeaders: [],
    guardrailHeader: undefined,
    guardrailsNotPassed: undefined,
  };
  /** Resolves when the response is sent or its connection is gone. */
  readonly closed: Promise<void>;
  /** Monotonic, when the first attempt began. */
  dispatchedAt: number | undefined;
  ticket: Ticket | undefined;
  /** The last that was sent. */
  attempt: Received | undefined;
  waiting: Waiting;
  /** The watchdog's: its place among those that are watched. */
  watchedAt = 0;
  waitingSince = 0;
  /** For so long its caller has been waited for to take what there was, in all. */
  readerMs = 0;
  #abortable: Abortable | undefined;
  #aborted: Error | undefined;
  readonly #monotonic: () => number;

  constructor(request: IncomingMessage, response: ServerResponse, arrival: Arrival) {
    const { address, expectsContinue, isRefused = false, monotonic } = arrival;
    this.request = request;
    this.response = response;
    this.headers = new RequestHeaders(request.rawHeaders);
    this.id = requestId(this.headers);
    this.address = address;
    this.#monotonic = monotonic;
    this.startedAt = monotonic();
    this.expectsContinue = expectsContinue;
    this.isRefused = isRefused;
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) this.abort(new ClientGone('client_left'));
        resolve();
      });
    });
  }

  /** Why the request was ended from outside. */
  get aborted(): Error | undefined {
    return this.#aborted;
  }

  /**
   * Says what is ended when the request is; each stage replaces it. An object that exists anyway and no closure: closures kept
   * for the length of a request made the collector carry every finished request into the old generation.
   */
  onAbort(abortable: Abortable): void {
    this.#abortable = abortable;
  }

  /** Ends the request from outside, once: the stage that waits fails with this error. A client that then takes no answer is cut. */
  abort(error: Error): void {
    if (this.isReadOn) {
      // Of its caller there is nothing left to end.
      if (!(error instanceof ClientGone)) this.attempt?.giveUp('timed_out');
      return;
    }
    if (this.#aborted !== undefined) {
      if (error instanceof ClientGone) this.response.destroy();
      return;
    }
    this.#aborted = error;
    this.#abortable?.abort(error, this);
  }

  /** @throws the error that ended the request from outside */
  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted;
  }

  waitFor(waiting: Waiting): void {
    const now = this.#monotonic();
    if (this.waiting === 'reader') this.readerMs += now - this.waitingSince;
    this.waiting = waiting;
    this.waitingSince = now;
  }

  /** @param attempt absent where nothing is known of what comes of it: a forwarding sidecar settles nothing */
  attemptStarted(attempt?: Received): void {
    this.throwIfAborted();
    this.attempt = attempt;
    this.record.attempts++;
    this.waitFor('head');
    this.dispatchedAt ??= this.waitingSince;
  }

  get isReadOn(): boolean {
    return this.record.readOnAt !== undefined && this.record.readOnMs === undefined;
  }

  /** The provider's response goes on without its caller; the time limits on the provider stay. */
  readOnStarted(): void {
    const { record } = this;
    record.readOnAt = this.#monotonic();
    // A slow reader paused the provider.
    if (this.waiting !== 'head') this.waitFor('event');
  }

  readOnEnded(): void {
    const { record } = this;
    if (record.readOnAt !== undefined) record.readOnMs = this.#monotonic() - record.readOnAt;
    this.waitFor(undefined);
  }

  /** Bytes came from the provider. */
  progress(): void {
    const now = this.#monotonic();
    if (this.record.readOnAt === undefined) this.record.firstByteAt ??= now;
    if (this.waiting === 'reader') return;
    this.waiting = 'event';
    this.waitingSince = now;
  }

  /** Milliseconds from the request's head until its caller had the response, or left; until now while it is under way. */
  get elapsedMs(): number {
    return (this.record.readOnAt ?? this.#monotonic()) - this.startedAt;
  }

  /** Whose shares it uses. */
  get owner(): ShareOwner {
    const { organizationId = '', keyId = '' } = this.record;
    return { organization: organizationId, key: keyId };
  }

  buffer(bytes: number): void {
    if (this.ticket === undefined)
      throw new GatewayError('internal_error', { cause: new Error('not admitted') });
    this.ticket.buffer(bytes);
  }
}
