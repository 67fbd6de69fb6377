// Shadows: copies of callers' requests to the model that their route compares. A copy starts after the caller's request
// was sent, in a later tick of the event loop, and nothing of the request waits for it. It has one attempt, money of its
// own, and room of its own: a tenth of the requests in flight and of the bytes in memory. Its response is read for its
// usage and dropped.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { alphaOf, OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import type { RouteShadow } from '../access/routes.ts';
import type { ChatCall, Outcome } from '../call.ts';
import { GatewayError } from '../errors.ts';
import { withOutputCeiling } from '../formats/chat-completions/read-request.ts';
import { appliedLimits } from '../ledger/applied-limits.ts';
import type { Ledger, Reservation, Settled } from '../ledger/ledger.ts';
import type { Dispatch } from '../routing/dispatch.ts';
import { shares } from '../shares.ts';
import type { Admission } from './admission.ts';
import type { Exchange } from './exchange.ts';
import type { TargetDeps } from './group-targets.ts';
import { shadowCallOf } from './shadow-call.ts';
import { ShadowRequest, type ShadowTimes } from './shadow-request.ts';
import type { NotSent, ShadowEnding } from './shadow-results.ts';

export interface ShadowsDeps extends TargetDeps {
  readonly ledger: Pick<Ledger, 'reserve'>;
  readonly dispatch: Dispatch;
  readonly admission: Pick<Admission, 'inFlight' | 'bytes' | 'limits'>;
  readonly times: ShadowTimes;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Timers;
  readonly background: Background;
  /** From 0 to 1. */
  random(): number;
  /** Runs the work in a later tick of the event loop. */
  defer(work: () => void): void;
  onNotSent(reason: NotSent, call: ChatCall): void;
  onEnded(ended: EndedShadow): void;
}

export interface EndedShadow {
  readonly call: ChatCall;
  readonly ending: ShadowEnding;
  readonly outcome: Outcome;
  readonly settled: Settled;
  /** The error before its response began. */
  readonly failure: unknown;
}

/** The caller's request: read only at the start of its copy. */
export type CopiedRequest = Pick<Exchange, 'dispatchedAt'> & {
  readonly record: Pick<Exchange['record'], 'isCopied'>;
};

const task = 'copy a request';

export class Shadows {
  readonly requests: OccupiedShare;
  readonly bytes: OccupiedShare;
  readonly #deps: ShadowsDeps;
  readonly #open = new Set<ShadowRequest>();
  /** Copies that are reserved or sent. */
  #running = 0;
  #isStopped = false;
  #idle: (() => void)[] = [];

  constructor(deps: ShadowsDeps) {
    this.#deps = deps;
    const { inFlightMax, bufferedBytesMax, organizationShare } = deps.admission.limits;
    const alpha = alphaOf(organizationShare);
    const { shadow_requests: ofRequests, shadow_bytes: ofBytes } = shares;
    const requestsMax = Math.max(1, Math.floor(inFlightMax * ofRequests.bounds.part));
    const bytesMax = Math.floor(bufferedBytesMax * ofBytes.bounds.part);
    this.requests = new OccupiedShare({ capacity: requestsMax, alpha });
    this.bytes = new OccupiedShare({ capacity: bytesMax, alpha });
  }

  /**
   * Copies the request if its route says so and chance selects it. Returns at once.
   * @param call inspected. @param dispatching its attempts
   */
  copy(call: ChatCall, request: CopiedRequest, dispatching: Promise<unknown>): void {
    const shadow = call.route?.shadow;
    const { random, defer } = this.#deps;
    if (shadow === undefined || this.#isStopped || random() * 100 >= shadow.percent) return;
    const startIfSent = async () => {
      if (request.dispatchedAt !== undefined) await this.#start(call, shadow, request);
    };
    defer(() => {
      if (request.dispatchedAt !== undefined) this.#deps.background(task, startIfSent());
      // A worker translates it, or its images are fetched. What was never sent is not copied.
      else this.#deps.background(task, dispatching.then(startIfSent, startIfSent));
    });
  }

  /** Sends no more copies, and gives up those that are under way: they are charged as abandoned attempts. */
  stop(): void {
    this.#isStopped = true;
    for (const request of this.#open) request.stop();
  }

  /** Resolves when all are settled. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #start(call: ChatCall, shadow: RouteShadow, request: CopiedRequest): Promise<void> {
    if (this.#isStopped) return;
    const copy = shadowCallOf(this.#deps, call, shadow);
    const room = typeof copy === 'string' ? copy : this.#roomFor(copy);
    if (typeof copy === 'string' || typeof room === 'string') {
      this.#deps.onNotSent(typeof room === 'string' ? room : 'unfit', call);
      return;
    }
    request.record.isCopied = true;
    this.#running++;
    try {
      await this.#send(copy, room);
    } finally {
      room.give();
      this.#running--;
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #roomFor(copy: ChatCall): Room | NotSent {
    if (appliedLimits(copy).budgets.length === 0) return 'no_budget';
    const { admission } = this.#deps;
    // The caller's key has its whole share for its own requests.
    const owner = { organization: copy.caller.principal.organization.id, key: 'shadow' };
    // Copies take no slot from callers, and give way to them.
    if (admission.inFlight + this.requests.used >= admission.limits.inFlightMax) return 'no_room';
    if (!this.requests.take(owner)) return 'no_room';
    const room = new Room(owner, { requests: this.requests, bytes: this.bytes, allBytes: admission.bytes });
    if (room.buffer(copy.request.bytes)) return room;
    room.give();
    return 'no_room';
  }

  async #send(copy: ChatCall, room: Room): Promise<void> {
    const { ledger, onNotSent } = this.#deps;
    let reservation: Reservation;
    try {
      reservation = await ledger.reserve(copy);
    } catch (error) {
      onNotSent(reasonOf(error), copy);
      return;
    }
    const { clock, timers, times } = this.#deps;
    const { stream: streamed } = copy.request;
    const request = new ShadowRequest({ ...room.ofRequest, streamed, times, clock, timers });
    this.#open.add(request);
    let failure: unknown;
    try {
      if (this.#isStopped) request.stop();
      else await request.readOn(await this.#deps.dispatch(withinReservation(reservation), request));
    } catch (error) {
      failure = error;
    }
    this.#open.delete(request);
    request.end();
    const outcome = request.outcome(failure);
    this.#ended({ call: copy, outcome, settled: reservation.settle(outcome), failure });
  }

  #ended(ended: Omit<EndedShadow, 'ending'>): void {
    const { outcome, call, failure } = ended;
    const { onNotSent, onEnded } = this.#deps;
    if (outcome.attempts > 0) onEnded({ ...ended, ending: endingOf(outcome) });
    // The target cannot express the request.
    else if (failure instanceof GatewayError && failure.status < 500) onNotSent('unfit', call);
    else onEnded({ ...ended, ending: this.#isStopped ? 'shutdown' : 'failed' });
  }
}

interface Rooms {
  readonly requests: OccupiedShare;
  readonly bytes: OccupiedShare;
  /** Of everything that is in memory. */
  readonly allBytes: OccupiedShare;
}

/** What one copy has of the shares. */
class Room {
  readonly #owner: ShareOwner;
  readonly #rooms: Rooms;
  #bytes = 0;

  constructor(owner: ShareOwner, rooms: Rooms) {
    this.#owner = owner;
    this.#rooms = rooms;
  }

  get ofRequest() {
    return { owner: this.#owner, buffer: (bytes: number) => this.buffer(bytes) };
  }

  /** @returns whether there was room */
  buffer(bytes: number): boolean {
    const { bytes: own, allBytes } = this.#rooms;
    if (bytes === 0) return true;
    if (!own.take(this.#owner, bytes)) return false;
    if (!allBytes.take(this.#owner, bytes)) {
      own.give(this.#owner, bytes);
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  give(): void {
    const { requests, bytes, allBytes } = this.#rooms;
    requests.give(this.#owner);
    if (this.#bytes === 0) return;
    bytes.give(this.#owner, this.#bytes);
    allBytes.give(this.#owner, this.#bytes);
  }
}

/** The copy as it is reserved: without the provider keys whose budgets have no money. */
function withinReservation({ call, outputCeiling }: Reservation): ChatCall {
  return outputCeiling === undefined ? call : { ...call, request: withOutputCeiling(call.request, outputCeiling) };
}

const ofMoney: ReadonlySet<string> = new Set(['budget_exceeded', 'budget_busy', 'ledger_unavailable']);

/** @throws what is no refusal */
function reasonOf(error: unknown): NotSent {
  if (!(error instanceof GatewayError)) throw error;
  if (ofMoney.has(error.code)) return 'no_money';
  return error.code === 'model_not_priced' || error.code === 'model_not_found' ? 'no_price' : 'unfit';
}

function endingOf({ ending, status }: Outcome): ShadowEnding {
  if (ending === 'timed_out' || ending === 'shutdown') return ending;
  return status < 400 ? 'responded' : 'failed';
}
