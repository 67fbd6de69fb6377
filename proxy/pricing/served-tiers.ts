// Remembers the service tiers of provider keys, for requests that leave the tier to the vendor: a project may be set to
// a dearer tier, and only its responses show that. From then on reservations cover the tier that was seen. The first
// such request may cost more than was reserved; its cost is counted nevertheless.
import { isServiceTier, type ServiceTier } from '../../common/model-facts.ts';
import type { ChatCall } from '../call.ts';
import { servedTier, type Usage } from '../conversation/usage.ts';
import type { Prices } from './prices.ts';

export class ServedTiers {
  /** By id of the provider key; the oldest is removed if there is no room. */
  readonly #seen = new Map<string, Seen>();

  /** The prices by which the reservation of this call is computed. */
  reservedFor({ targets }: Pick<ChatCall, 'targets'>, prices: Prices): Prices {
    if (this.#seen.size === 0) return prices;
    const tiers = targets.flatMap(({ providerKeyId = '' }) => this.#seen.get(providerKeyId)?.tier ?? []);
    if (tiers.length === 0) return prices;
    return {
      costOf: (usage) => prices.costOf(usage),
      covers: (usage) => prices.covers(usage),
      lacks: (demand) => prices.lacks(demand),
      dearest: (promptTokens, demand) => prices.dearest(promptTokens, demand, tiers),
    };
  }

  note({ targets: [target], request }: Pick<ChatCall, 'targets' | 'request'>, { special }: Usage): void {
    const keyId = target?.providerKeyId;
    const known = keyId === undefined ? undefined : this.#seen.get(keyId);
    const tier = special?.serviceTier;
    if (keyId === undefined || (known === undefined && tier === undefined)) return;
    // The response to a request for a tier shows nothing about requests without one.
    if (servedTier(request.body.service_tier) !== undefined) return;
    if (isServiceTier(tier)) this.#set(keyId, { tier, usualLeft: usualMax });
    else if (known !== undefined && known.usualLeft > 0) this.#set(keyId, { ...known, usualLeft: known.usualLeft - 1 });
    else this.#seen.delete(keyId);
  }

  #set(keyId: string, seen: Seen): void {
    this.#seen.delete(keyId);
    this.#seen.set(keyId, seen);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > keysMax && oldest !== undefined) this.#seen.delete(oldest);
  }
}

interface Seen {
  readonly tier: ServiceTier;
  /** Requests that may be served as usual before the tier is forgotten: under load, vendors serve some of them so. */
  readonly usualLeft: number;
}

const usualMax = 1000;
const keysMax = 10_000;
