// One request and its response from accept to record: its identity, what it waits for (the watchdog looks at it), how it is
// ended from outside, and what will be recorded of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Usage } from '../chat/usage.ts';
import { GatewayError } from '../errors.ts';
import type { AttemptResult, Received } from '../upstream/attempt.ts';
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
  projectKeyId: string | undefined;
  provider: string | undefined;
  model: string | undefined;
  /** The model's name in catalog or configuration, where they know it: only then is it a metric label. */
  catalogName: string | undefined;
  status: number;
  errorCode: string | undefined;
  errorSource: 'gateway' | 'provider' | undefined;
  /** Logged, never sent. */
  cause: unknown;
  attempts: number;
  streamed: boolean;
  direct: boolean;
  usage: Usage | undefined;
  /** As the ledger settled it, in nano-dollars: what the provider did not tell is estimated. */
  costNano: number;
  /** What a whole answer tells of its cost, USD; undefined where it is not known. */
  costText: string | undefined;
  /** As the provider named it. */
  modelAnswered: string | undefined;
  /** Bytes of text that came of the answer; rather too many than too few. */
  textBytes: number;
  requestBytes: number;
  /** Monotonic, when the first byte of the answer was there. */
  firstByteAt: number | undefined;
  /** What the answer tells of the caller's limits: names and values in turn. */
  limitHeaders: readonly string[];
  /** What the answer tells of the guardrails that apply; undefined where none does. */
  guardrailHeader: string | undefined;
  /** The guardrails that did not pass, in the same form. */
  guardrailsNotPassed: string | undefined;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: RequestHeaders;
  readonly id: string;
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly record: RequestRecord = {
    route: 'none',
    organizationId: undefined,
    keyId: undefined,
    projectKeyId: undefined,
    provider: undefined,
    model: undefined,
    catalogName: undefined,
    status: 0,
    errorCode: undefined,
    errorSource: undefined,
    cause: undefined,
    attempts: 0,
    streamed: false,
    direct: false,
    usage: undefined,
    costNano: 0,
    costText: undefined,
    modelAnswered: undefined,
    textBytes: 0,
    requestBytes: 0,
    firstByteAt: undefined,
    limitHeaders: [],
    guardrailHeader: undefined,
    guardrailsNotPassed: undefined,
  };
  /** Resolves when the response is sent or its connection is gone. */
  readonly closed: Promise<void>;
  /** Monotonic, when the first attempt began. */
  dispatchedAt: number | undefined;
  ticket: Ticket | undefined;
  waiting: Waiting;
  /** The watchdog's: its place among those that are watched. */
  watchedAt = 0;
  waitingSince = 0;
  #abortable: Abortable | undefined;
  #aborted: Error | undefined;
  readonly #monotonic: () => number;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    monotonic: () => number,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.headers = new RequestHeaders(request.rawHeaders);
    this.id = requestId(this.headers);
    this.address = request.socket.remoteAddress ?? '';
    this.#monotonic = monotonic;
    this.startedAt = monotonic();
    this.expectsContinue = expectsContinue;
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
    this.waiting = waiting;
    this.waitingSince = this.#monotonic();
  }

  attemptStarted(): void {
    this.throwIfAborted();
    this.record.attempts++;
    this.waitFor('head');
    this.dispatchedAt ??= this.waitingSince;
  }

  /** What the ledger is to know of the provider's answer. */
  received(told: Received): void {
    this.record.usage = told.usage();
    this.record.modelAnswered = told.model();
    this.record.textBytes = told.textBytes();
  }

  /** The same of an answer that was handed over. */
  answered(result: AttemptResult): void {
    if (result.kind === 'stream') {
      this.received(result);
      return;
    }
    this.record.usage = result.usage;
    this.record.modelAnswered = result.model;
    this.record.textBytes = result.textBytes;
  }

  /** Bytes came from the provider. */
  progress(): void {
    const now = this.#monotonic();
    this.record.firstByteAt ??= now;
    if (this.waiting === 'reader') return;
    this.waiting = 'event';
    this.waitingSince = now;
  }

  /** Milliseconds since the request came. */
  get elapsedMs(): number {
    return this.#monotonic() - this.startedAt;
  }

  buffer(bytes: number): void {
    if (this.ticket === undefined)
      throw new GatewayError('internal_error', { cause: new Error('not admitted') });
    this.ticket.buffer(bytes);
  }
}
