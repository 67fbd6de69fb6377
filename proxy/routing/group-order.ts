// The order in which a request tries the targets of one group: by the group's choice, and a canary in front of all
// others for its share of the requests. Every choice begins with an order by weight, so that equals share requests.
import type { GroupChoice } from '../../proto/words/access.ts';
import { rankOf, type Variate } from '../upstream/variates.ts';

export interface Choosable {
  /** The same for the same target of the group. */
  readonly name: string;
  readonly weight: number;
  /** Percent; undefined: no canary. */
  readonly canary: number | undefined;
  /** Requests in flight. */
  inFlight(): number;
  /** Milliseconds until its streams begin, recently; undefined if that is not known. */
  latency(): number | undefined;
  /** What the request costs there; undefined if that is not known. */
  cost(): number | undefined;
}

/** @param variate of the conversation, if its requests are to go to one target; else random */
export function inOrder<T extends Choosable>(
  targets: readonly T[],
  choice: GroupChoice,
  variate: Variate,
): readonly T[] {
  if (targets.length < 2) return targets;
  const shared = byWeight(targets, variate);
  const usual = byChoice(
    shared.filter(({ canary }) => canary === undefined),
    choice,
  );
  const canaries = shared.filter(({ canary }) => canary !== undefined);
  if (canaries.length === 0) return usual;
  const first = chosenCanary(targets, variate);
  const last = canaries.filter((one) => one !== first);
  return first === undefined ? [...usual, ...last] : [first, ...usual, ...last];
}

function byWeight<T extends Choosable>(targets: readonly T[], variate: Variate): readonly T[] {
  return ordered(targets, ({ name, weight }) => rankOf(variate(name), weight));
}

function byChoice<T extends Choosable>(targets: readonly T[], choice: GroupChoice): readonly T[] {
  switch (choice) {
    case 'weighted':
    case 'sticky':
      return targets;
    case 'least_busy':
      return ordered(targets, (target) => (target.inFlight() + 1) / target.weight);
    case 'cheapest':
      return ordered(targets, (target) => target.cost() ?? Number.POSITIVE_INFINITY);
    case 'fastest': {
      const [first, second, ...others] = targets;
      if (first === undefined || second === undefined) return targets;
      return [...ordered([first, second], delay), ...others];
    }
  }
}

/** For a target of which nothing is known, as soon as it has a request. */
const unknownMs = 1000;

/** What one more request may wait there: two requests that come together do not both see the same idle target. */
function delay(target: Choosable): number {
  const requests = target.inFlight();
  const ms = target.latency() ?? (requests === 0 ? 0 : unknownMs);
  return ms * (requests + 1);
}

/** Each canary has its part of 0 to 100. */
function chosenCanary<T extends Choosable>(targets: readonly T[], variate: Variate): T | undefined {
  let left = variate('canary') * 100;
  for (const target of targets) {
    if (target.canary === undefined) continue;
    if (left < target.canary) return target;
    left -= target.canary;
  }
  return undefined;
}

/** Equals stay in their order. Each rank is found once. */
function ordered<T>(targets: readonly T[], rank: (target: T) => number): readonly T[] {
  return targets
    .map((target) => ({ target, rank: rank(target) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ target }) => target);
}

/** Two infinities are equal. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
