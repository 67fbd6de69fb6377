// Enum words for the overview and the list of models.
import type { AttentionKind__Output } from '../generated/gateway/v1/AttentionKind.ts';
import type { PriceOrigin__Output } from '../generated/gateway/v1/PriceOrigin.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

/** The most urgent first. */
export const attentionKinds = enumWords({
  ATTENTION_KIND_BUDGET_SPENT: 'budget_spent',
  ATTENTION_KIND_PROVIDER_KEY_REFUSED: 'provider_key_refused',
  ATTENTION_KIND_GUARDRAIL_FAILS: 'guardrail_fails',
  ATTENTION_KIND_STOP: 'stop',
  ATTENTION_KIND_BUDGET_NEAR_END: 'budget_near_end',
  ATTENTION_KIND_KEY_ENDS: 'key_ends',
  ATTENTION_KIND_UNCONFIRMED: 'unconfirmed',
} as const satisfies WordsFor<AttentionKind__Output>);
export type AttentionKind = WordOf<typeof attentionKinds>;

export const priceOrigins = enumWords({
  PRICE_ORIGIN_CATALOG: 'catalog',
  PRICE_ORIGIN_ORGANIZATION: 'organization',
  PRICE_ORIGIN_CUSTOM_PROVIDER: 'custom_provider',
} as const satisfies WordsFor<PriceOrigin__Output>);
export type PriceOrigin = WordOf<typeof priceOrigins>;
