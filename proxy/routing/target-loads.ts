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
import { ResponseTimes } from './response-times.ts';

/** An organization has up to 15 kB, and 33 kB more if all of its targets are of routes that hedge by a percentile. */
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

type LoadedTarget = Pick<TargetIdentity, 'organization' | 'model' | 'providerKey' | 'inFlightMax'>;

export class TargetLoads {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #organizations: LRUCache<string, PairMap<TargetLoad>>;

  constructor({ clock, organizationsMax = organizationsMaxUsual }: TargetLoadsOptions) {
    this.#clock = clock;
    this.#organizations = lruCache(organizationsMax);
  }

  /** Counts an attempt until its end. The caller's own key is not counted: there is no choice. */
  begin({ organization, model, providerKey, inFlightMax }: LoadedTarget): CountedAttempt {
    if (providerKey === undefined) return uncounted;
    const known = this.#organizations.get(organization);
    const targets = known ?? new PairMap<TargetLoad>(targetsMax);
    if (known === undefined) this.#organizations.set(organization, targets);
    const load = targets.use(providerKey.id, model, newLoad);
    load.ceiling = inFlightMax;
    return load.begin(this.#clock);
  }

  inFlight(target: LoadedTarget): number {
    return this.#of(target)?.inFlight ?? 0;
  }

  /** Milliseconds until streams begin, recently; undefined if none has begun. */
  latency(target: LoadedTarget): number | undefined {
    return this.#of(target)?.latency.at(this.#clock.monotonic());
  }

  /** Of routes that hedge by a percentile: how long a response took until it began, or until its end if it was whole. */
  noteTime(target: LoadedTarget, streamed: boolean, ms: number): void {
    const load = this.#of(target);
    if (load === undefined) return;
    const times = streamed ? load.streams : load.wholes;
    const noted = times ?? new ResponseTimes();
    noted.add(ms);
    if (streamed) load.streams = noted;
    else load.wholes = noted;
  }

  /** Milliseconds within which so many percent of the recent responses came; undefined if that is not known. */
  timeOf(target: LoadedTarget, streamed: boolean, percent: number): number | undefined {
    const load = this.#of(target);
    return (streamed ? load?.streams : load?.wholes)?.percentile(percent);
  }

  /** Whether the target has as many requests as it bears, or as the group of its route lets it have. */
  isFull(target: LoadedTarget): boolean {
    return this.#of(target)?.isFull(target.inFlightMax) === true;
  }

  /** How many targets have as many requests as they bear. For metrics. */
  get full(): number {
    let full = 0;
    for (const targets of this.#organizations.values()) {
      for (const load of targets.values()) full += load.isFull(load.ceiling) ? 1 : 0;
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
  /** Nearly always absent. */
  streams: ResponseTimes | undefined;
  wholes: ResponseTimes | undefined;

  /** Of the latest request: several groups may have the target. */
  ceiling: number | undefined;

  isFull(ceiling: number | undefined): boolean {
    return this.inFlight >= Math.min(this.limit.limit, ceiling ?? Number.POSITIVE_INFINITY);
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
