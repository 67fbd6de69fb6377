// The faults of a run, all derived from its seed: what fails, when, for how long. A schedule is plain data, so that a
// failing one can be shortened and repeated.
import { Random } from '../support/access/random.ts';

export type FaultKind =
  | 'kill'
  | 'pause'
  | 'freeze'
  | 'cut'
  | 'slow'
  | 'outage'
  | 'empty'
  | 'clock'
  | 'disk'
  | 'expire'
  | 'promote'
  | 'failover';

export interface Fault {
  /** Milliseconds after the beginning. */
  readonly at: number;
  readonly forMs: number;
  readonly kind: FaultKind;
  readonly target: string;
  /** Milliseconds by which a clock is set, or a network is slow. */
  readonly ms?: number;
}

/** Which kinds of fault each target can have; several kinds of one target never overlap. */
export type Targets = Readonly<Record<string, readonly FaultKind[]>>;

export interface ScheduleOptions {
  readonly seed: number;
  readonly ms: number;
  readonly targets: Targets;
  /** Faults come in bursts of this length, each followed by a calm of the next. */
  readonly burstMs: number;
  readonly calmMs: number;
  /** The longest time between two faults of a burst. Default 2,000. */
  readonly pauseMsMax?: number;
}

const hour = 3_600_000;
/** Programs notice changed certificates after this time, at the beginning and at the end. */
const noticeMs = 5_000;

export function planFaults({
  seed,
  ms,
  targets,
  burstMs,
  calmMs,
  pauseMsMax = 2_000,
}: ScheduleOptions): readonly Fault[] {
  const random = new Random(seed);
  const faults: Fault[] = [];
  const busyUntil = new Map<string, number>();
  let pairs: (readonly [string, FaultKind])[] = [];
  for (let at = random.between(500, 1_500); at < ms; at += random.between(pauseMsMax / 8, pauseMsMax)) {
    const inBurst = at % (burstMs + calmMs);
    if (inBurst > burstMs) at += burstMs + calmMs - inBurst;
    if (at >= ms) break;
    // Every kind of every target is dealt once before any comes again.
    if (pairs.length === 0) pairs = pairsOf(targets);
    const free = pairs.filter(([name]) => (busyUntil.get(name) ?? 0) < at);
    if (free.length === 0) continue;
    const pair = random.pick(free);
    const [target, kind] = pair;
    pairs = pairs.filter((one) => one !== pair);
    const forMs = Math.round(random.between(200, random.chance(0.2) ? 8_000 : 3_000));
    busyUntil.set(target, at + forMs + 500 + (kind === 'expire' ? noticeMs : 0));
    faults.push({ at: Math.round(at), forMs, kind, target, ...detailOf(kind, random) });
  }
  return withFailover(faults, targets, ms * random.between(0.3, 0.6));
}

function pairsOf(targets: Targets): (readonly [string, FaultKind])[] {
  return Object.entries(targets).flatMap(([name, kinds]) =>
    kinds.filter((kind) => kind !== 'failover').map((kind) => [name, kind] as const),
  );
}

const failoverMs = 2_000;

/** There is one standby, so a run has one failover. */
function withFailover(faults: readonly Fault[], targets: Targets, at: number): readonly Fault[] {
  const target = Object.keys(targets).find((name) => targets[name]?.includes('failover'));
  if (target === undefined) return faults;
  const failover: Fault = { at: Math.round(at), forMs: failoverMs, kind: 'failover', target };
  const overlaps = (one: Fault) => one.at <= failover.at + failoverMs + 500 && failover.at <= one.at + one.forMs + 500;
  const others = faults.filter((one) => one.target !== target || !overlaps(one));
  return [...others, failover].toSorted((one, other) => one.at - other.at);
}

function detailOf(kind: FaultKind, random: Random): Pick<Fault, 'ms'> {
  if (kind === 'clock') return { ms: random.pick([-24 * hour, -hour, hour, 24 * hour]) };
  if (kind === 'slow') return { ms: random.pick([20, 100, 400]) };
  return {};
}

/** The longest time in which a schedule has no fault, when it is compact. */
const silenceMsMax = 2_000;

/** The same faults in the same order and overlaps, without the long times between them. */
export function compact(faults: readonly Fault[]): readonly Fault[] {
  let end = 0;
  let left = 0;
  return faults.map((fault) => {
    left += Math.max(0, fault.at - end - silenceMsMax);
    end = Math.max(end, fault.at + fault.forMs);
    return { ...fault, at: fault.at - left };
  });
}
