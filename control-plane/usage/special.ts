// What of a request's usage has prices of its own beside plain tokens, as the books keep it: one text of what there is.
import { isRegionName, isServiceTier } from '../../common/model-facts.ts';
import type { UsageSpecial__Output } from '../../proto/generated/gateway/v1/UsageSpecial.ts';

/** Fields of `UsageSpecial` of ledger.proto, which says what they mean; those that are there. */
export type SpecialUsage = { readonly [Name in keyof UsageSpecial__Output]?: UsageSpecial__Output[Name] };

/** @returns null where there is nothing of it */
export function specialText(special: UsageSpecial__Output | null | undefined): string | null {
  const reported = Object.entries(special ?? {}).filter(([, value]) => value !== 0 && value !== '');
  return reported.length === 0 ? null : JSON.stringify(Object.fromEntries(reported));
}

/** A word of a newer proxy is as good as none that is known. */
export function knownWords(
  special: UsageSpecial__Output | null | undefined,
): UsageSpecial__Output | undefined {
  if (special === null || special === undefined) return undefined;
  const { serviceTier, region } = special;
  return {
    ...special,
    serviceTier: serviceTier === '' || isServiceTier(serviceTier) ? serviceTier : 'unknown',
    region: region === '' || isRegionName(region) ? region : 'unknown',
  };
}
