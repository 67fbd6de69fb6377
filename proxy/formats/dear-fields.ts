// Fields with which a client requests what costs more than the usual price, where several formats have the same ones.
// Values that request what a request without the field gets are no such fields.
import type { JsonObject } from '../../common/json.ts';
import type { ServiceTier } from '../../common/model-facts.ts';
import { isGiven } from '../conversation/options.ts';
import { servedTier } from '../conversation/usage.ts';
import type { DearField } from './client-format.ts';

/**
 * A service tier, in the words of any vendor. `auto` is the usual one, because it is what every vendor does without the
 * field: at the GPT vendor it leaves the tier to the settings of the project, at the Claude vendor to the capacity that
 * the account has bought, and the others lack it. So a caller gets nothing by it, and SDKs and agents send it.
 * @param at path in the client's body
 */
export function tierField(value: unknown, at: string): readonly DearField[] {
  if (!isGiven(value)) return [];
  const tier = typeof value === 'string' ? servedTier(value) : 'unknown';
  if (tier === undefined) return [];
  if (tier === 'unknown') return [{ at }];
  return [cheaperTiers.has(tier) ? { at, tier, isCheaper: true } : { at, tier }];
}

const cheaperTiers: ReadonlySet<ServiceTier> = new Set(['flex', 'batch']);

/** Fields of the Messages API except the tier, wherever a body contains them: SDK type `MessageCreateParams`, beta. */
export function claudeFields({
  speed,
  inference_geo: region,
  anthropic_beta: betas,
}: JsonObject): readonly DearField[] {
  return [
    ...(isGiven(speed) && speed !== 'standard'
      ? [{ at: 'speed', ...(speed === 'fast' && { tier: 'fast' as const }) }]
      : []),
    ...(isGiven(region) && region !== 'global' ? [{ at: 'inference_geo', region: String(region) }] : []),
    ...longPrompts(betas, 'anthropic_beta'),
  ];
}

/**
 * Betas that allow longer prompts, which have a higher price: `context-1m-2025-08-07` (SDK type `AnthropicBeta`).
 * @param betas a list, or a header with commas
 */
export function longPrompts(betas: unknown, at: string): readonly DearField[] {
  const names: unknown[] = typeof betas === 'string' ? betas.split(',') : Array.isArray(betas) ? betas : [];
  const found = names.some((name) => typeof name === 'string' && /^\s*context-\d/.test(name));
  return found ? [{ at, isCovered: true }] : [];
}
