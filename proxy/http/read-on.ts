// Reads on: a provider's response whose caller has left, or may not have it, is read to its end for its usage alone,
// because unread usage has to be charged by its reservation. The request is not over meanwhile: it keeps its
// reservation, its concurrency slot and its slot among the requests in flight, so that hanging up in a loop meets the
// same limits as waiting. Reading on is limited in number, for each organization, and, by the watchdog, in time.
import { alphaOf, OccupiedShare } from '../../common/shares.ts';
import type { GiveUpReason } from '../conversation/response-end.ts';
import type { Exchange } from './exchange.ts';

export interface ReadOnLimits {
  /** Maximum number of responses at a time. */
  readonly max: number;
  /** The part of them that one organization may use while no other does, above 0 to 1. */
  readonly organizationShare: number;
}

/** Results for responses without a caller: read to their end, or given up for one of the reasons. */
export const readOnResults = ['read', 'left', 'not_read', 'timed_out', 'shutdown'] as const satisfies readonly (
  | 'read'
  | GiveUpReason
)[];

export type ReadOnResult = (typeof readOnResults)[number];

export interface ReadOnMetrics {
  readOn(result: ReadOnResult): void;
}

/** The organization of the response. */
export interface Organization {
  /**
   * `read`: streams are read on even if the provider stops when they are cancelled. Otherwise such streams are
   * cancelled.
   */
  readonly hangUp: 'cancel' | 'read';
}

export class ReadOn {
  /** The more all organizations use together, the less each may use: so there is always room for another one. */
  readonly responses: OccupiedShare;
  readonly #metrics: ReadOnMetrics;
  readonly #open = new Set<Exchange>();
  #isStopped = false;
  #idle: (() => void)[] = [];

  constructor({ max, organizationShare }: ReadOnLimits, metrics: ReadOnMetrics) {
    this.responses = new OccupiedShare({ capacity: max, alpha: alphaOf(organizationShare) });
    this.#metrics = metrics;
  }

  /** Number of responses that are being read on. */
  get open(): number {
    return this.#open.size;
  }

  /** Ensures that the request's last attempt has ended. Returns a promise only if a response is read on. */
  finish(exchange: Exchange, organization: Organization): Promise<void> | void {
    const { attempt } = exchange;
    if (attempt === undefined || attempt.ending !== 'open') return;
    const reason = this.#reasonNotTo(exchange, organization);
    if (reason !== undefined) {
      attempt.giveUp(reason);
      this.#metrics.readOn(reason);
      return;
    }
    return this.#read(exchange);
  }

  /** Reads nothing on any more, and gives up the responses that are being read. */
  stop(): void {
    this.#isStopped = true;
    for (const { attempt } of this.#open) attempt?.giveUp('shutdown');
  }

  /** Resolves when no response is being read on. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #reasonNotTo({ attempt, owner }: Exchange, { hangUp }: Organization): GiveUpReason | undefined {
    if (this.#isStopped) return 'shutdown';
    if (hangUp !== 'read' && attempt?.stops === true) return 'left';
    return this.responses.take(owner) ? undefined : 'not_read';
  }

  async #read(exchange: Exchange): Promise<void> {
    this.#open.add(exchange);
    exchange.readOnStarted();
    await exchange.attempt?.readOn();
    exchange.readOnEnded();
    this.#leave(exchange);
  }

  #leave(exchange: Exchange): void {
    const ending = exchange.attempt?.ending;
    this.#metrics.readOn(ending === 'timed_out' || ending === 'shutdown' || ending === 'not_read' ? ending : 'read');
    this.#open.delete(exchange);
    this.responses.give(exchange.owner);
    if (this.#open.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
