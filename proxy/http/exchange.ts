// One request and its response, from accept to record: its identity, what it waits for (read by the watchdog), how it
// is aborted from outside, and its record.
import type { ShareOwner } from '../../common/shares.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { type AttemptTimes, type CallTarget, type ChatCall, targetWith } from '../call.ts';
import type { Capture } from '../captures/capture.ts';
import { clientFormats } from '../client-formats.ts';
import { GatewayError } from '../errors.ts';
import type { ClientFormat, ClientRequest } from '../formats/client-format.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { ContenderContext } from '../routing/contender-context.ts';
import type { Recovered, Recovering } from '../routing/recovering-stream.ts';
import type { Received } from '../upstream/attempt.ts';
import type { Ticket } from './admission.ts';
import { RequestHeaders, requestId } from './headers.ts';
import type { InboundRequest, InboundResponse } from './inbound.ts';
import { newRecord, type RequestRecord } from './request-record.ts';

export type { RequestRecord };

/**
 * The client closed the connection before its response was complete, or reads nothing of it. Logged as 499; there is no
 * response.
 */
export class ClientGone extends Error {
  readonly code: 'client_left' | 'client_stalled';

  constructor(code: ClientGone['code']) {
    super(code);
    this.name = 'ClientGone';
    this.code = code;
  }
}

/** The part of a waiting stage that can be aborted. */
export interface Abortable {
  abort(error: Error, exchange: Exchange): void;
}

/** What a request waits for; undefined = the gateway itself. */
export type Waiting = 'body' | 'head' | 'event' | 'reader' | undefined;

/** How a request arrived. */
export interface Arrival {
  /** The caller's address; behind trusted proxies, the one that they report. */
  readonly address: string;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** There is no room for its connection, so it only gets an error response. Default: false. */
  readonly isRefused?: boolean;
  /** In milliseconds. */
  readonly monotonic: () => number;
}

export class Exchange {
  readonly request: InboundRequest;
  readonly response: InboundResponse;
  readonly headers: RequestHeaders;
  readonly id: string;
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** There is no room for its connection, so it only gets an error response. */
  readonly isRefused: boolean;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly record: RequestRecord = newRecord();
  /** The client's format, once the path has shown it. */
  format: ClientFormat = clientFormats.chat_completions;
  /** The request of a client that does not speak chat completions, once it was parsed. */
  client: ClientRequest | undefined;
  /** Resolves when the response is sent or its connection is gone. */
  readonly closed: Promise<void>;
  /** Monotonic time at which the first attempt began. */
  dispatchedAt: number | undefined;
  ticket: Ticket | undefined;
  /** The authorized call. */
  #call: ChatCall | undefined;
  /** The limits of the route for the target that has the request. */
  times: AttemptTimes | undefined;
  /** Monotonic time at which the latest attempt began. */
  attemptAt = 0;
  /** An attempt has no response yet, so another one may follow. */
  isTrying = false;
  /** The attempt's stream, if another attempt may follow on it. */
  recovering: Recovering | undefined;
  /** The latest attempt that was sent, unless it is settled. */
  attempt: Received | undefined;
  /** Keeps its texts, if an owner demands that. */
  capture: Capture | undefined;
  /** The request's limits and money, once they are reserved. */
  reservation: Reservation | undefined;
  waiting: Waiting;
  /** The index in the watchdog's list. */
  watchedAt = 0;
  waitingSince = 0;
  /** Total time that was spent waiting for the caller to read, in milliseconds. */
  readerMs = 0;
  #abortable: Abortable | undefined;
  #aborted: Error | undefined;
  readonly #monotonic: () => number;

  constructor(request: InboundRequest, response: InboundResponse, arrival: Arrival) {
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

  /** The error that aborted the request. */
  get aborted(): Error | undefined {
    return this.#aborted;
  }

  /**
   * Sets what is aborted with the request; each stage replaces it. Stages pass an existing object instead of a closure:
   * closures that lived as long as a request made the garbage collector move every finished request into the old
   * generation.
   */
  onAbort(abortable: Abortable): void {
    this.#abortable = abortable;
  }

  /**
   * Aborts the request, once: the waiting stage fails with this error. A client that then reads no response is
   * disconnected.
   */
  abort(error: Error): void {
    if (this.isReadOn) {
      // The caller has gone already, so only the attempt is given up.
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

  /** Ends the attempt that it waits for: the stage decides whether there is another one. */
  abortAttempt(error: Error): void {
    if (this.isReadOn) this.abort(error);
    else if (this.#aborted === undefined) this.#attemptToAbort()?.abort(error, this);
  }

  /** A stream that has begun goes through guardrails, which would end with it. */
  #attemptToAbort(): Abortable | undefined {
    return this.isTrying ? this.#abortable : (this.recovering ?? this.#abortable);
  }

  get recovery(): this {
    return this;
  }

  /** The caller reads the rest of an earlier attempt's stream. */
  recovered(how: Recovered): void {
    this.record.recovered = how;
    this.record.recoveredBy = this.record.attempts;
  }

  /** @throws the error that aborted the request */
  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted;
  }

  waitFor(waiting: Waiting): void {
    const now = this.#monotonic();
    if (this.waiting === 'reader') this.readerMs += now - this.waitingSince;
    this.waiting = waiting;
    this.waitingSince = now;
  }

  authorized(call: ChatCall): void {
    this.#call = call;
    this.record.modelRoute = call.route?.name;
    this.record.canary = call.isCanary === true ? 'true' : 'false';
    this.#noteTarget(call);
  }

  #noteTarget({ provider, model, qualifiedModel, catalogModel, targets, times }: CallTarget): void {
    const { record } = this;
    record.provider = provider.name;
    record.model = nameWithin(qualifiedModel);
    record.modelSent = record.model === model ? undefined : model;
    record.catalogName = catalogModel?.name;
    record.providerKeyId = targets[0]?.providerKeyId;
    this.times = times;
  }

  /** @param attempt absent in forward mode, where nothing is settled */
  attemptStarted(attempt?: Received): void {
    this.throwIfAborted();
    this.attempt = attempt;
    if (attempt !== undefined) this.#noteAttempt(attempt);
    // What came from an attempt that failed is nothing that the caller waited for, unless the stream was passed on.
    if (this.record.attempts > 0 && this.recovering === undefined) this.record.firstByteAt = undefined;
    this.record.attempts++;
    this.waitFor('head');
    this.dispatchedAt ??= this.waitingSince;
    this.attemptAt = this.waitingSince;
    this.isTrying = true;
  }

  #noteAttempt({ target }: Received): void {
    if (this.#call?.alternatives !== undefined) {
      const at = targetWith(this.#call, target);
      this.#noteTarget(at);
      if (this.#call.isCanary === true) this.record.canary = at === this.#call ? 'true' : 'failed';
      if (this.reservation !== undefined) this.record.limitHeaders = this.reservation.headersAt(target);
    }
    this.record.providerKeyId = target.providerKeyId;
  }

  /**
   * Of two attempts at a time, the one that was sent last is over, and this one is waited for again.
   * @param context what happened to it meanwhile
   */
  attemptResumed({ received, sentAt, firstByteAt, lastByteAt }: ContenderContext): void {
    if (received === undefined) return;
    this.attempt = received;
    this.#noteAttempt(received);
    this.record.firstByteAt = firstByteAt;
    this.waiting = firstByteAt === undefined ? 'head' : 'event';
    this.waitingSince = lastByteAt ?? sentAt;
    this.attemptAt = sentAt;
    this.isTrying = true;
  }

  /** The attempt has a response: it was the last one. */
  responded(): void {
    this.isTrying = false;
  }

  /** Nothing is waited for until the next attempt is sent. */
  attemptFailed(): void {
    this.isTrying = false;
    this.waitFor(undefined);
  }

  get isReadOn(): boolean {
    return this.record.readOnAt !== undefined && this.record.readOnMs === undefined;
  }

  /** From now on the provider's response is read without its caller. The time limits on the provider stay. */
  readOnStarted(): void {
    const { record } = this;
    record.readOnAt = this.#monotonic();
    // A slow reader had paused the provider.
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

  /**
   * Milliseconds from the request's head until the caller had the response or left; until now for a request in flight.
   */
  get elapsedMs(): number {
    return (this.record.readOnAt ?? this.#monotonic()) - this.startedAt;
  }

  /**
   * The id of its row, the same each time. The gateway's own ids are of the instant of arrival, and nobody else has them;
   * an id that the caller chose is none for a row.
   * @param now milliseconds since 1970
   */
  rowId(now: number): string {
    const isChosen = this.id === this.headers.get('x-request-id');
    this.record.rowId ??= isChosen ? uuidv7(Math.round(now - this.elapsedMs)) : this.id;
    return this.record.rowId;
  }

  /** The organization and key whose shares it uses. */
  get owner(): ShareOwner {
    const { organizationId = '', keyId = '' } = this.record;
    return { organization: organizationId, key: keyId };
  }

  buffer(bytes: number): void {
    if (this.ticket === undefined) throw new GatewayError('internal_error', { cause: new Error('not admitted') });
    this.ticket.buffer(bytes);
  }
}

/** `<provider>/<name>` → `<name>` */
function nameWithin(qualifiedModel: string): string {
  return qualifiedModel.slice(qualifiedModel.indexOf('/') + 1);
}
