// The part of a request's usage with prices of its own besides plain tokens, which the ledger stores as one JSON text.
import { isRegionName, isServiceTier } from '../../common/model-facts.ts';
import type { UsageSpecial__Output } from '../../proto/generated/gateway/v1/UsageSpecial.ts';

/** Fields of `UsageSpecial` of ledger.proto, which explains them; only the fields with a value. */
export type SpecialUsage = { readonly [Name in keyof UsageSpecial__Output]?: UsageSpecial__Output[Name] };

/** @returns null if there is none */
export function specialText(special: UsageSpecial__Output | null | undefined): string | null {
  const reported = Object.entries(special ?? {}).filter(([, value]) => value !== 0 && value !== '');
  return reported.length === 0 ? null : JSON.stringify(Object.fromEntries(reported));
}

/** A newer proxy's unknown service tier or region becomes "unknown". */
export function knownWords(special: UsageSpecial__Output | null | undefined): UsageSpecial__Output | undefined {
  if (special === null || special === undefined) return undefined;
  const { serviceTier, region } = special;
  return {
    ...special,
    serviceTier: serviceTier === '' || isServiceTier(serviceTier) ? serviceTier : 'unknown',
    region: region === '' || isRegionName(region) ? region : 'unknown',
  };
}
