// The requests that targets have in flight on this proxy, how fast their streams began lately, and how many requests each
// may have. Choices inside a group read it. Requests with only one target are not counted: nothing is chosen for them.
//
// Who can make this wrong on purpose? A tenant whose prompts are slow makes its own targets look slow or full: all of this
// is of one organization. A tenant with very many targets pushes out its own entries. A vendor that is slow on purpose
// gets fewer requests. A full target only comes after others, so no request is refused.
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import { GradientLimit } from './gradient-limit.ts';
import type { TargetIdentity } from './health.ts';
import { PairMap } from './pair-map.ts';
import { PeakLatency } from './peak-latency.ts';

/** An organization has up to 15 kB. */
const organizationsMaxUsual = 1_000;
/** Models with a provider key, for each organization. */
const targetsMax = 64;

export interface TargetLoadsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Organizations in memory. The one that was idle longest is forgotten. */
  readonly organizationsMax?: number;
}

/** One attempt that is counted. */
export interface CountedAttempt {
  /** A stream has begun. @param startedAt monotonic: when the attempt began */
  firstByte(startedAt: number): void;
  /** The response has ended, or there is none. Only the first call counts. */
  end(): void;
}

type LoadedTarget = Pick<TargetIdentity, 'organization' | 'model' | 'providerKey'>;

export class TargetLoads {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #organizations: LRUCache<string, PairMap<TargetLoad>>;

  constructor({ clock, organizationsMax = organizationsMaxUsual }: TargetLoadsOptions) {
    this.#clock = clock;
    this.#organizations = lruCache(organizationsMax);
  }

  /** Counts an attempt until its end. The caller's own key is not counted: there is no choice. */
  begin({ organization, model, providerKey }: LoadedTarget): CountedAttempt {
    if (providerKey === undefined) return uncounted;
    const known = this.#organizations.get(organization);
    const targets = known ?? new PairMap<TargetLoad>(targetsMax);
    if (known === undefined) this.#organizations.set(organization, targets);
    return targets.use(providerKey.id, model, newLoad).begin(this.#clock);
  }

  inFlight(target: LoadedTarget): number {
    return this.#of(target)?.inFlight ?? 0;
  }

  /** Milliseconds until streams begin, recently; undefined if none has begun. */
  latency(target: LoadedTarget): number | undefined {
    return this.#of(target)?.latency.at(this.#clock.monotonic());
  }

  /** Whether the target has as many requests as it bears. */
  isFull(target: LoadedTarget): boolean {
    return this.#of(target)?.isFull === true;
  }

  /** How many targets have as many requests as they bear. For metrics. */
  get full(): number {
    let full = 0;
    for (const targets of this.#organizations.values()) {
      for (const load of targets.values()) full += load.isFull ? 1 : 0;
    }
    return full;
  }

  #of({ organization, model, providerKey }: LoadedTarget): TargetLoad | undefined {
    if (providerKey === undefined) return undefined;
    return this.#organizations.get(organization)?.get(providerKey.id, model);
  }
}

class TargetLoad {
  inFlight = 0;
  readonly latency = new PeakLatency();
  readonly limit = new GradientLimit();

  get isFull(): boolean {
    return this.inFlight >= this.limit.limit;
  }

  begin(clock: Pick<Clock, 'monotonic'>): CountedAttempt {
    this.inFlight++;
    let isOver = false;
    return {
      firstByte: (startedAt) => {
        const now = clock.monotonic();
        const ms = now - startedAt;
        this.latency.add(ms, now);
        this.limit.add({ ms, startedAt, now, inFlight: this.inFlight });
      },
      end: () => {
        if (!isOver) this.inFlight--;
        isOver = true;
      },
    };
  }
}

const newLoad = () => new TargetLoad();
const uncounted: CountedAttempt = { firstByte: () => undefined, end: () => undefined };
