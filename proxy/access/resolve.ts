// Requests the records behind a hash from the control plane: one flight per subject, a few at a time. A response that
// the feed contradicts is requested once more. A failure is never a refusal of the key: every failure is
// access_unavailable.
import type { Clock } from '../../common/clock.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
import type { Timers } from '../../common/timers.ts';
import { GatewayError } from '../errors.ts';
import type { AccessLimits } from './limits.ts';
import type { Records, ResolvedRecords } from './records.ts';

export interface ResolverDeps {
  /** @throws if the control plane does not respond within the time or refuses */
  readonly ask: (keyHash: string, timeoutMs: number) => Promise<ResolvedRecords>;
  readonly records: Records;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: AccessLimits;
  /** Signed records of a usable response. */
  readonly onRecords: (signed: readonly SignedRecord[]) => void;
  /** The feed and the control plane's response disagree. */
  readonly onContradiction: () => void;
}

/**
 * `contradicted`: the control plane responds, but with a state from before the feed's last report, or from another
 * history.
 */
export type Resolved = 'resolved' | 'contradicted';

export interface Lacking {
  readonly ref: string;
  /** Memory or Redis has had the key: it is not a guess. */
  readonly isSeen: boolean;
}

export class Resolver {
  readonly #deps: ResolverDeps;
  readonly #flights = new SingleFlight<Resolved>();
  readonly #slots: Slots;

  constructor(deps: ResolverDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps);
  }

  /**
   * The result is in the records afterwards.
   * @param lacking the missing subject (keys of one organization wait for one resolve of it), and whether the key was
   * seen before
   * @throws GatewayError access_unavailable if there is no response
   */
  resolve(keyHash: string, { ref, isSeen }: Lacking): Promise<Resolved> {
    return this.#flights.run(ref, () => this.#resolve(keyHash, isSeen));
  }

  async #resolve(keyHash: string, isSeen: boolean): Promise<Resolved> {
    const { clock, limits } = this.#deps;
    const deadline = clock.monotonic() + limits.resolveDeadlineMs;
    const release = await this.#slots.take(isSeen);
    try {
      const hasResponse = (await this.#attempt(keyHash, deadline)) || (await this.#attempt(keyHash, deadline));
      return hasResponse ? 'resolved' : 'contradicted';
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      release();
    }
  }

  async #attempt(keyHash: string, deadline: number): Promise<boolean> {
    const { ask, clock, records } = this.#deps;
    const requestedAt = clock.monotonic();
    const response = await ask(keyHash, Math.max(1, deadline - requestedAt));
    const cached = records.accept(keyHash, response, requestedAt);
    if (cached === undefined) this.#deps.onContradiction();
    else this.#deps.onRecords(response.signed ?? []);
    return cached !== undefined;
  }
}

/** Slots for resolves. A hash never seen is refused when its slots are taken; a known key waits for one. */
class Slots {
  readonly #deps: Pick<ResolverDeps, 'limits' | 'timers'>;
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #neverSeen = 0;

  constructor(deps: Pick<ResolverDeps, 'limits' | 'timers'>) {
    this.#deps = deps;
  }

  /** @returns a function that releases the slot */
  async take(seen: boolean): Promise<() => void> {
    const { limits } = this.#deps;
    if (!seen && (this.#neverSeen >= limits.resolvesNeverSeenMax || this.#taken >= limits.resolvesMax))
      throw unavailable(new Error('too many unknown keys are being looked up'));
    if (this.#taken >= limits.resolvesMax) await this.#turn();
    else this.#taken += 1;
    if (!seen) this.#neverSeen += 1;
    return () => {
      if (!seen) this.#neverSeen -= 1;
      this.#release();
    };
  }

  // The slot passes to the next waiter directly: the number of taken slots does not change.
  #release(): void {
    const next = this.#waiting.values().next().value;
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { limits, timers } = this.#deps;
      const cancel = timers.after(limits.resolveDeadlineMs, () => {
        this.#waiting.delete(go);
        reject(unavailable(new Error('too many keys are being resolved')));
      });
      const go = () => {
        this.#waiting.delete(go);
        cancel();
        resolve();
      };
      this.#waiting.add(go);
    });
  }
}

/** The error for a key about which nothing is known now. */
export function unavailable(cause: unknown): GatewayError {
  return new GatewayError('access_unavailable', { cause, retryAfter: 1 });
}

/** One piece of work per key at a time: a caller that needs work already under way waits for its result. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>();

  run(key: string, start: () => Promise<T>): Promise<T> {
    const flying = this.#flights.get(key);
    if (flying !== undefined) return flying;
    const flight = start().finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }
}
