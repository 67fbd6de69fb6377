// What an organization has experienced: its hosts with their models, and its provider keys. Each organization has its own
// limits of memory, so it cannot push out what others know.
import { Ejection } from './ejection.ts';
import { Exclusion, type Standing } from './exclusion.ts';
import { FailureCounts } from './failure-counts.ts';
import { FirstTokens } from './first-tokens.ts';
import type { KeyCause } from './health-events.ts';
import { PairMap } from './pair-map.ts';

/** Pairs of host and model for each organization. */
const hostsMax = 64;
/** Provider keys, and pairs of key and model, for each organization; only those that a vendor refused or limited. */
const keysMax = 64;
/** What was last noticed longer ago is not reported to operators. */
export const recentMs = 300_000;

export class OrganizationHealth {
  /** By origin and model. */
  readonly hosts = new PairMap<HostHealth>(hostsMax);
  /** By the id of the provider key and the model; the model is empty for the key as a whole. */
  readonly keys = new PairMap<KeyHealth>(keysMax);
  /** Whether something was ejected, refused or limited since a report found nothing of it. */
  mayHaveOut = false;
}

/** A model at a host, as one organization experiences it. */
export class HostHealth {
  readonly ejection = new Ejection();
  readonly firstTokens = new FirstTokens();
  /** Monotonic. */
  lastSuccessAt = Number.NEGATIVE_INFINITY;
  /** Since when it has been readmitted, or used without a pause, monotonic. */
  healthySince = Number.NEGATIVE_INFINITY;
  #counts: FailureCounts | undefined;

  /** @returns whether the target is to be ejected, for the first time or again */
  failed(now: number): boolean {
    const { exclusion } = this.ejection;
    if (exclusion.isOn) return exclusion.isDeciding(now);
    this.#counts ??= new FailureCounts(now);
    if (!this.#counts.failed(now)) return false;
    this.#counts = undefined;
    return true;
  }

  /** @returns whether the target is readmitted */
  succeeded(now: number): boolean {
    if (now - this.lastSuccessAt > recentMs) this.healthySince = now;
    this.lastSuccessAt = now;
    this.#counts?.succeeded(now);
    if (this.#counts?.isOver(now)) this.#counts = undefined;
    if (!this.ejection.exclusion.isDeciding(now)) return false;
    this.ejection.readmit(now);
    this.healthySince = now;
    return true;
  }
}

/** A provider key, or a model with it. */
export class KeyHealth {
  readonly revision: string;
  readonly exclusion = new Exclusion();
  #refusal: { readonly cause: KeyCause; readonly since: number } | undefined;
  #limitedUntil = 0;
  #limitedSince = 0;

  constructor(revision: string) {
    this.revision = revision;
  }

  /** The vendor's rate limit is used up until then, monotonic. It opens for all requests at once: there is no trial. */
  get limitedUntil(): number {
    return this.#limitedUntil;
  }

  /** When the limit was used up, without a pause since; monotonic. */
  get limitedSince(): number {
    return this.#limitedSince;
  }

  /** Why and since when the vendor refuses it; undefined: it never did. */
  get refusal(): { readonly cause: KeyCause; readonly since: number } | undefined {
    return this.#refusal;
  }

  refuse(cause: KeyCause, now: number, forMs: number): void {
    this.#refusal = { cause, since: this.exclusion.isOn ? (this.#refusal?.since ?? now) : now };
    this.exclusion.start(now, forMs);
  }

  limit(now: number, forMs: number): void {
    if (!this.isLimited(now)) this.#limitedSince = now;
    this.#limitedUntil = Math.max(this.#limitedUntil, now + forMs);
  }

  isLimited(now: number): boolean {
    return now < this.#limitedUntil;
  }

  standing(now: number): Standing {
    return this.isLimited(now) ? 'out' : this.exclusion.standing(now);
  }
}
