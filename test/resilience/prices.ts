// The models of a run's route, and what they cost.
import type { SimulatedVendor } from './vendor.ts';

export const models = {
  'gpt-provider': 'gpt-provider/gpt-4o-mini',
  'assistant-provider': 'assistant-provider/claude-haiku-4-5',
} as const satisfies Record<SimulatedVendor, string>;

/** Dollars for a million tokens of both models. */
export const prices = { input: '1', output: '60' };

/** Nano-dollars, at these prices. */
export function costOfTokens(tokens: { readonly prompt: number; readonly completion: number }): number {
  return tokens.prompt * 1_000 + tokens.completion * 60_000;
}
