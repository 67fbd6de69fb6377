// The health of targets: which of them an attempt may use now. It is learned from this proxy's attempts only; a cause
// counts where it belongs: a model at a host, a provider key, a model with a provider key. What other proxies have
// noticed (shared-hints.ts) only moves a target behind its peers until a trial.
//
// Who can make this wrong on purpose?
// - A tenant whose requests make a vendor return 5xx or time out, or whose prompts make its first tokens slow: counted for
//   its own organization. A host is out for all only while two organizations have ejected it, each by its own count, and
//   nobody has succeeded there in between. When its time is over, the first success of any organization readmits it for
//   all, and failures of organizations that have ejected it themselves do not prolong it. So two organizations that conspire against
//   a host without other traffic divert others for the five seconds until a trial, then have to wait for their own
//   ejections, up to five minutes, before they can repeat it. A third one can fail the trials four times (80 s): at its
//   fifth failure in a row it has ejected the host itself.
// - A tenant with a base URL of its own: its host fails, which is no other tenant's host.
// - An application of an organization, against others of the same organization: five failures in a row without a success
//   of theirs in between divert the organization for five seconds. A model that a provider key may not use takes out that
//   model alone, not the key.
// - A tenant with very many targets: each organization has its own limits of memory, and pushes out only its own entries.
// - A vendor that names a limit for hours, or forever: at most a minute, and five minutes for a quota.
// In none of these cases is a request refused: the last target is always tried.
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import { never } from '../../common/never.ts';
import { Ejection, ejectionFirstMs } from './ejection.ts';
import type { Exclusion } from './exclusion.ts';
import { slowFactor } from './first-tokens.ts';
import type { FailureCause, HealthEvents, HostCause, HostEjected, KeyCause, OutCounts } from './health-events.ts';
import { type HealthReport, healthReport } from './health-report.ts';
import type { SharedHints } from './shared-hints.ts';
import { createSharedHosts, isOutElsewhere, type SharedHosts } from './shared-hosts.ts';
import { slowLast } from './slow-targets.ts';
import { HostHealth, KeyHealth, OrganizationHealth } from './target-health.ts';
import type { TargetIdentity } from './target-identity.ts';
import { exhaustedMsMax } from './vendor-limits.ts';

export type * from './health-events.ts';
export type { TargetIdentity } from './target-identity.ts';

export interface HealthOptions extends HealthEvents {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** From 0 to below 1: spreads the ends of ejections. */
  readonly random?: () => number;
  /** Organizations in memory. The one that was idle longest is forgotten: its targets start without failures. */
  readonly organizationsMax?: number;
  /** What other proxies have noticed; undefined: nothing is shared. */
  readonly hints?: Pick<SharedHints, 'hostOut' | 'keyOut' | 'succeeded' | 'learned'> | undefined;
  /** A target that has as many requests as it bears comes after others. Default: none is full. */
  isFull?(identity: TargetIdentity): boolean;
}

interface Identified {
  readonly identity: TargetIdentity;
}

/** An organization has up to 100 kB if it uses both of its limits of memory, and usually about 2 kB. */
const organizationsMaxUsual = 1_000;
/** A refused key is tried again so often. */
const keyOutMs = 300_000;
const quotaMsMin = 1_000;

export class Health {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: () => number;
  readonly #events: HealthEvents;
  readonly #isFull: (identity: TargetIdentity) => boolean;
  readonly #organizations: LRUCache<string, OrganizationHealth>;
  readonly #shared: SharedHosts = createSharedHosts();
  readonly #hints: HealthOptions['hints'];

  constructor(options: HealthOptions) {
    this.#clock = options.clock;
    this.#random = options.random ?? Math.random;
    this.#events = options;
    this.#hints = options.hints;
    this.#isFull = options.isFull ?? (() => false);
    this.#organizations = lruCache(options.organizationsMax ?? organizationsMaxUsual);
  }

  /**
   * The targets that may be tried now, in their order; slow ones behind the others. If the first one's time is over, this
   * request is its trial, and others do not get it meanwhile. If all are out, the one whose time ends first; never empty
   * if the given list is not.
   * @param targets one group; usually returned unchanged, without allocation
   */
  usable<T extends Identified>(targets: readonly T[]): readonly T[] {
    if (targets.length < 2) return targets;
    let fastest = Number.POSITIVE_INFINITY;
    let slowest = 0;
    for (const { identity } of targets) {
      const organization = this.#organizations.get(identity.organization);
      if (!this.#isClear(identity, organization) || this.#isFull(identity)) return this.#chosen(targets);
      const median = firstTokensOf(identity, organization)?.median;
      if (median === undefined) continue;
      fastest = Math.min(fastest, median);
      slowest = Math.max(slowest, median);
    }
    return slowest > slowFactor * fastest ? this.#chosen(targets) : targets;
  }

  /**
   * As `usable`, for the groups of a route: they keep their order, whatever is known of their targets, and a group that
   * is out as a whole is left out. Slow targets come last in the group that is tried first.
   */
  usableGroups<T extends Identified>(groups: readonly (readonly T[])[]): readonly T[] {
    const all = groups.flat();
    if (all.length < 2) return all;
    const now = this.#clock.monotonic();
    const left = groups.map((group) => group.filter(({ identity }) => !this.#isOut(identity, now)));
    const [first, ...others] = left.filter((group) => group.length > 0);
    if (first === undefined) return this.#endingFirst(all);
    return [...this.#triedFirst(first, now), ...others.flatMap((group) => this.#hintedLast(group, now))];
  }

  /**
   * Call before each further attempt of a request, unless no other target is left: what `usable` returned may have
   * changed. If the target's time is over, this attempt is its trial.
   */
  mayTry(identity: TargetIdentity): boolean {
    const now = this.#clock.monotonic();
    if (this.#isOut(identity, now)) return false;
    this.#beginTrials(identity, now);
    return true;
  }

  /**
   * @param retryAfterMs from now: when the vendor wants the next request, for `rate` and `quota`; undefined: it does not
   * say
   */
  failed(identity: TargetIdentity, cause: FailureCause, retryAfterMs?: number): void {
    const { providerKey } = identity;
    if (providerKey === undefined) return;
    const now = this.#clock.monotonic();
    const organization = this.#used(identity.organization);
    switch (cause) {
      case 'dead':
      case 'timeout':
      case 'server':
        this.#hostFailed(identity, organization, cause, now);
        return;
      case 'key':
      case 'access':
      case 'quota': {
        this.#hostResponded(identity, organization, now);
        const forMs = cause === 'quota' ? Math.max(quotaMsMin, retryAfterMs ?? keyOutMs) : keyOutMs;
        this.#keyFailed(identity, organization, cause, { now, forMs: Math.min(forMs, keyOutMs) });
        return;
      }
      case 'rate':
        this.#hostResponded(identity, organization, now);
        this.exhausted(identity, retryAfterMs ?? ejectionFirstMs);
        return;
      default:
        never(cause);
    }
  }

  /**
   * Any response that is no failure of the target; also a 4xx that is the caller's own fault. Report it wherever `failed`
   * is reported: failures alone look like an outage, for other organizations too.
   */
  succeeded(identity: TargetIdentity): void {
    const { providerKey, model } = identity;
    if (providerKey === undefined) return;
    const now = this.#clock.monotonic();
    const organization = this.#used(identity.organization);
    this.#hostResponded(identity, organization, now);
    this.#hints?.succeeded(identity, now);
    if (organization.keys.size === 0) return;
    this.#keyAccepted(identity, organization, undefined, now);
    this.#keyAccepted(identity, organization, model, now);
  }

  /**
   * An attempt that says nothing about its target: its caller has left, or it was not made after all. If it was a trial,
   * the next one may begin.
   */
  undecided(identity: TargetIdentity): void {
    for (const exclusion of this.#exclusionsOf(identity)) exclusion.releaseTrial();
    this.#hints?.learned.releaseTrial(identity);
  }

  /** @param ms from the start of the attempt to the first token of its response */
  firstToken(identity: TargetIdentity, ms: number): void {
    if (identity.providerKey === undefined) return;
    const { hosts } = this.#used(identity.organization);
    hosts.use(identity.origin, identity.model, newHost).firstTokens.add(ms, this.#clock.monotonic());
  }

  /**
   * The vendor reports that its rate limit of this key and model has nothing left.
   * @param forMs from now; a minute at most counts
   */
  exhausted(identity: TargetIdentity, forMs: number): void {
    const { providerKey, model } = identity;
    if (providerKey === undefined || !(forMs > 0)) return;
    const key = keyOf(this.#used(identity.organization), providerKey, model);
    const limitMs = Math.min(forMs, exhaustedMsMax);
    key.limit(this.#clock.monotonic(), limitMs);
    this.#hints?.keyOut(identity, 'rate', { model, forMs: limitMs });
  }

  /** For metrics. Looks at every entry: about 15 ms if all memory is used, else far less. */
  get out(): OutCounts {
    const now = this.#clock.monotonic();
    const counts = { hosts: 0, sharedHosts: 0, keys: 0, limits: 0 };
    const one = (exclusion: Exclusion) => (exclusion.standing(now) === 'out' ? 1 : 0);
    for (const organization of this.#organizations.values()) {
      for (const { ejection } of organization.hosts.values()) counts.hosts += one(ejection.exclusion);
      for (const key of organization.keys.values()) {
        counts.keys += one(key.exclusion);
        counts.limits += key.isLimited(now) ? 1 : 0;
      }
    }
    for (const { exclusion } of this.#shared.values()) counts.sharedHosts += one(exclusion);
    return counts;
  }

  /** For operators. Looks at every organization, and at the entries of those of which something may be out. */
  get report(): HealthReport {
    return healthReport(this.#organizations.entries(), this.#shared, this.#clock.monotonic());
  }

  /** Whether nothing is known against the target, not even of the past: a short cut without a look at the clock. */
  #isClear(identity: TargetIdentity, organization: OrganizationHealth | undefined): boolean {
    const { providerKey, model } = identity;
    if (this.#exclusionOfHost(identity, organization)?.isOn === true) return false;
    if (this.#hints?.learned.concerns(identity.organization) === true) return false;
    if (organization === undefined || organization.keys.size === 0 || providerKey === undefined) return true;
    return (
      knownKey(organization, providerKey, '') === undefined && knownKey(organization, providerKey, model) === undefined
    );
  }

  #chosen<T extends Identified>(targets: readonly T[]): readonly T[] {
    const now = this.#clock.monotonic();
    const left = targets.filter(({ identity }) => !this.#isOut(identity, now));
    return left.length === 0 ? this.#endingFirst(targets) : this.#triedFirst(left, now);
  }

  /** Slow ones last. This request is the trial of the one that then comes first. */
  #triedFirst<T extends Identified>(left: readonly T[], now: number): readonly T[] {
    const firstTokens = ({ identity }: T) => firstTokensOf(identity, this.#organizations.get(identity.organization));
    const inTime = slowLast(left, firstTokens, now);
    const isHintTried = inTime[0] !== undefined && this.#hints?.learned.beginTrial(inTime[0].identity, now) === true;
    const ordered = isHintTried ? inTime : this.#hintedLast(inTime, now);
    const [first] = ordered;
    if (first !== undefined) this.#beginTrials(first.identity, now);
    return ordered;
  }

  /** Those that other proxies have trouble with come behind their peers. */
  #hintedLast<T extends Identified>(targets: readonly T[], now: number): readonly T[] {
    const [first] = targets;
    const learned = this.#hints?.learned;
    if (first === undefined || learned?.concerns(first.identity.organization) !== true) return targets;
    const isHinted = targets.map(({ identity }) => learned.isHinted(identity, now));
    if (!isHinted.includes(true)) return targets;
    return [...targets.filter((_, at) => !isHinted[at]), ...targets.filter((_, at) => isHinted[at])];
  }

  #endingFirst<T extends Identified>(targets: readonly T[]): readonly T[] {
    const ends = targets.map(({ identity }) => this.#endsAt(identity));
    const earliest = Math.min(...ends);
    // Those that are only full are all as good.
    return targets.filter((_, index) => (earliest === 0 ? ends[index] === 0 : index === ends.indexOf(earliest)));
  }

  #isOut(identity: TargetIdentity, now: number): boolean {
    const { organization: id, providerKey, model } = identity;
    if (providerKey === undefined) return false;
    if (this.#isFull(identity)) return true;
    const organization = this.#organizations.get(id);
    if (this.#exclusionOfHost(identity, organization)?.standing(now) === 'out') return true;
    if (organization === undefined) return false;
    return (
      knownKey(organization, providerKey, '')?.standing(now) === 'out' ||
      knownKey(organization, providerKey, model)?.standing(now) === 'out'
    );
  }

  #endsAt(identity: TargetIdentity): number {
    const { organization: id, providerKey, model } = identity;
    const organization = this.#organizations.get(id);
    const limitEndsAt =
      organization === undefined || providerKey === undefined
        ? 0
        : (knownKey(organization, providerKey, model)?.limitedUntil ?? 0);
    return Math.max(limitEndsAt, ...this.#exclusionsOf(identity).map(({ endsAt }) => endsAt));
  }

  #beginTrials(identity: TargetIdentity, now: number): void {
    for (const exclusion of this.#exclusionsOf(identity)) exclusion.beginTrial(now);
  }

  #exclusionsOf(identity: TargetIdentity): readonly Exclusion[] {
    const { organization: id, providerKey, model } = identity;
    const organization = this.#organizations.get(id);
    if (providerKey === undefined) return [];
    const keys =
      organization === undefined
        ? []
        : [knownKey(organization, providerKey, ''), knownKey(organization, providerKey, model)];
    return [this.#exclusionOfHost(identity, organization), ...keys.map((key) => key?.exclusion)].filter(
      (exclusion) => exclusion !== undefined,
    );
  }

  /** The organization's own ejection; that of all others applies only to those without one. */
  #exclusionOfHost({ origin, model }: TargetIdentity, organization: OrganizationHealth | undefined) {
    const own = organization?.hosts.get(origin, model)?.ejection.exclusion;
    if (own?.isOn === true || this.#shared.size === 0) return own;
    return this.#shared.get(origin, model)?.exclusion;
  }

  #hostFailed(identity: TargetIdentity, own: OrganizationHealth, cause: HostCause, now: number): void {
    const { organization, origin, model } = identity;
    const host = own.hosts.use(origin, model, newHost);
    const shared = this.#shared.get(origin, model);
    const ofAll = { origin, model, organization: undefined, cause };
    const ejectForAll = (ejection: Ejection) =>
      this.#ejected(identity, { ...ofAll, forMs: ejection.eject(now, this.#random, cause) });
    if (!host.ejection.exclusion.isOn && shared?.exclusion.isDeciding(now)) ejectForAll(shared);
    if (!host.failed(now)) return;
    own.mayHaveOut = true;
    this.#ejected(identity, { ...ofAll, organization, forMs: host.ejection.eject(now, this.#random, cause) });
    if (shared !== undefined || !isOutElsewhere(this.#organizations.values(), own, { origin, model, now })) return;
    ejectForAll(this.#shared.use(origin, model, newEjection));
  }

  #ejected(identity: TargetIdentity, event: HostEjected): void {
    this.#events.onEjected?.(event);
    this.#hints?.hostOut(identity, event.cause, event);
  }

  /** A refusal shows too that the host works. */
  #hostResponded(identity: TargetIdentity, own: OrganizationHealth, now: number): void {
    const { organization, origin, model } = identity;
    if (own.hosts.use(origin, model, newHost).succeeded(now)) {
      this.#events.onReadmitted?.({ origin, model, organization });
    }
    if (this.#shared.size === 0 || !this.#shared.get(origin, model)?.exclusion.isDeciding(now)) return;
    this.#shared.delete(origin, model);
    this.#events.onReadmitted?.({ origin, model, organization: undefined });
  }

  #keyFailed(
    identity: TargetIdentity,
    own: OrganizationHealth,
    cause: KeyCause,
    { now, forMs }: { readonly now: number; readonly forMs: number },
  ): void {
    const { organization, providerKey, model: called } = identity;
    if (providerKey === undefined) return;
    const model = cause === 'access' ? called : undefined;
    const key = keyOf(own, providerKey, model ?? '');
    const { exclusion } = key;
    const wasOut = exclusion.isOn;
    if (wasOut && !exclusion.isDeciding(now)) return;
    key.refuse(cause, now, forMs);
    this.#hints?.keyOut(identity, cause, { model, forMs });
    if (!wasOut) this.#events.onKeyOut?.({ organization, providerKeyId: providerKey.id, model, cause });
  }

  #keyAccepted(
    { organization, providerKey }: TargetIdentity,
    own: OrganizationHealth,
    model: string | undefined,
    now: number,
  ): void {
    if (providerKey === undefined) return;
    const known = knownKey(own, providerKey, model ?? '');
    if (known?.exclusion.isDeciding(now)) {
      known.exclusion.end();
      this.#events.onKeyReadmitted?.({ organization, providerKeyId: providerKey.id, model });
    }
    if (known?.standing(now) === 'in') own.keys.delete(providerKey.id, model ?? '');
  }

  #used(organization: string): OrganizationHealth {
    const known = this.#organizations.get(organization);
    if (known !== undefined) return known;
    const made = new OrganizationHealth();
    this.#organizations.set(organization, made);
    return made;
  }
}

const newHost = () => new HostHealth();
const newEjection = () => new Ejection();

type StoredKey = NonNullable<TargetIdentity['providerKey']>;

/** Undefined too if what is known is of an earlier revision of the key. */
function knownKey({ keys }: OrganizationHealth, { id, revision }: StoredKey, model: string): KeyHealth | undefined {
  const known = keys.get(id, model);
  return known?.revision === revision ? known : undefined;
}

/** Made, or made anew after a change of the key. */
function keyOf(organization: OrganizationHealth, key: StoredKey, model: string): KeyHealth {
  const { keys } = organization;
  organization.mayHaveOut = true;
  if (knownKey(organization, key, model) === undefined) keys.delete(key.id, model);
  return keys.use(key.id, model, () => new KeyHealth(key.revision));
}

function firstTokensOf({ origin, model }: TargetIdentity, organization: OrganizationHealth | undefined) {
  return organization?.hosts.get(origin, model)?.firstTokens;
}
