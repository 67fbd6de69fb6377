// What other proxies have noticed of targets. A hint only moves a target behind its peers, and one request tries it where
// it was; if that succeeds, the hint and all that were written before it count no more. So a hint that is wrong, forged
// or replayed costs one trial, and none ejects anything. Hints of organizations and of hosts are apart, each bounded.
import { lruCache } from '../../common/lru-cache.ts';
import { hostName, keyName, type TargetIdentity } from './target-identity.ts';

/** No hint counts for longer. */
export const hintMsMax = 30_000;
/** The clock of a proxy that writes one may be so far ahead. */
const clockLeewayMs = 5_000;
/** A trial that nobody finished is forgotten, and a target that failed it is tried again. */
const trialMs = 60_000;

/** Organizations by id; the hosts of all proxies of one identity. */
export type HintScope = { readonly organization: string } | 'hosts';

export const hintsMax = { organization: 64, hosts: 256 } as const;

export function sizeOf(scope: HintScope): number {
  return scope === 'hosts' ? hintsMax.hosts : hintsMax.organization;
}

/** Times are monotonic. */
interface Learned {
  until: number;
  trialUntil: number;
  /** A success has shown that what was written before it is over. */
  ignoredUntil: number;
}

type Scope = Map<string, Learned>;

/** The reader forgets an organization that makes no requests for a while. */
export class LearnedHints {
  readonly #organizations = new Map<string, Scope>();
  readonly #hosts: Scope = new Map();
  readonly #names = lruCache<readonly string[]>(1_000);

  /**
   * @param name of a target's part
   * @param until monotonic; one that is far in the future was never written by a proxy
   * @returns whether it moves a target now that was not moved before
   */
  learn(scope: HintScope, name: string, { until, now }: { readonly until: number; readonly now: number }): boolean {
    if (until <= now || until > now + hintMsMax + clockLeewayMs) return false;
    const hint = this.#hint(scope, name, now);
    // Compared before it is cut, so that what a success has ended is recognized each time it is read.
    if (hint === undefined || until <= Math.max(hint.ignoredUntil, hint.until)) return false;
    const isNew = hint.until <= now;
    hint.until = Math.min(until, now + hintMsMax);
    return isNew;
  }

  /** Undefined: there is no room. */
  #hint(scope: HintScope, name: string, now: number): Learned | undefined {
    const hints = this.#scope(scope);
    const known = hints.get(name);
    if (known !== undefined) return known;
    if (hints.size >= sizeOf(scope)) forgetPast(hints, now);
    if (hints.size >= sizeOf(scope)) return undefined;
    const made = { until: 0, trialUntil: 0, ignoredUntil: 0 };
    hints.set(name, made);
    return made;
  }

  /** Until when the name is known to be out elsewhere, monotonic; 0: not known. */
  knownUntil(scope: HintScope, name: string): number {
    const hints = scope === 'hosts' ? this.#hosts : this.#organizations.get(scope.organization);
    return hints?.get(name)?.until ?? 0;
  }

  forget(organization: string): void {
    this.#organizations.delete(organization);
  }

  /** Whether there may be a hint for this organization's targets. Costs nothing while no proxy has trouble. */
  concerns(organization: string): boolean {
    return this.#hosts.size > 0 || this.#organizations.has(organization);
  }

  isHinted(identity: TargetIdentity, now: number): boolean {
    return this.#of(identity).some(({ until }) => now < until);
  }

  /** @returns whether this request is the one that tries the target */
  beginTrial(identity: TargetIdentity, now: number): boolean {
    const hints = this.#of(identity).filter(({ until }) => now < until);
    if (hints.some(({ trialUntil }) => now < trialUntil)) return false;
    for (const hint of hints) hint.trialUntil = now + trialMs;
    return true;
  }

  /** The trial had no result. */
  releaseTrial(identity: TargetIdentity): void {
    for (const hint of this.#of(identity)) hint.trialUntil = 0;
  }

  /** The target works from here. */
  succeeded(identity: TargetIdentity, now: number): void {
    for (const hint of this.#of(identity)) {
      if (hint.until <= now) continue;
      hint.until = 0;
      hint.trialUntil = 0;
      hint.ignoredUntil = now + hintMsMax + clockLeewayMs;
    }
  }

  #scope(scope: HintScope): Scope {
    if (scope === 'hosts') return this.#hosts;
    const known = this.#organizations.get(scope.organization);
    if (known !== undefined) return known;
    const made: Scope = new Map();
    this.#organizations.set(scope.organization, made);
    return made;
  }

  /** Removes what is over, so that `concerns` is cheap again. */
  tidy(now: number): void {
    forgetPast(this.#hosts, now);
    for (const [organization, hints] of this.#organizations) {
      forgetPast(hints, now);
      if (hints.size === 0) this.#organizations.delete(organization);
    }
  }

  #of(identity: TargetIdentity): readonly Learned[] {
    if (identity.providerKey === undefined || !this.concerns(identity.organization)) return [];
    const [ofKey = '', ofModel = '', own = '', ofAll = ''] = this.#namesOf(identity);
    const hints = this.#organizations.get(identity.organization);
    const found = [hints?.get(ofKey), hints?.get(ofModel), this.#hosts.get(own), this.#hosts.get(ofAll)];
    return found.filter((hint) => hint !== undefined);
  }

  #namesOf(identity: TargetIdentity): readonly string[] {
    const { organization, origin, model, providerKey } = identity;
    const key = JSON.stringify([organization, origin, model, providerKey?.id]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const names = [
      keyName(identity, undefined),
      keyName(identity, model),
      hostName(identity, organization),
      hostName(identity, undefined),
    ];
    this.#names.set(key, names);
    return names;
  }
}

function forgetPast(hints: Scope, now: number): void {
  for (const [name, { until, ignoredUntil }] of hints) if (Math.max(until, ignoredUntil) <= now) hints.delete(name);
}
