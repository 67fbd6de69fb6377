// Decodes stops of records. A stop whose target this version does not know is ignored, as it would be by a version
// without stops.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import type { PlatformRecord__Output } from '../../proto/generated/gateway/v1/PlatformRecord.ts';
import type { StopRecord__Output } from '../../proto/generated/gateway/v1/StopRecord.ts';
import type { OrganizationRecord, PlatformRecord, Stop } from '../access/principal.ts';
import { decodeLimit } from './wire-limits.ts';
import { time } from './wire-values.ts';

/** @throws Error for a limit that this version would not enforce */
export function decodePlatform({ stops, limits }: PlatformRecord__Output): PlatformRecord {
  return { stops: stops.flatMap(decodeStop), ...(limits.length > 0 && { limits: limits.map(decodeLimit) }) };
}

/** Of an organization's record: its stops, and when its suspension ends. */
export function decodeStops(
  stops: readonly StopRecord__Output[],
): Pick<OrganizationRecord, 'stops' | 'suspendedUntil'> {
  const known = stops.flatMap(decodeStop);
  const suspension = stops.find(({ target }) => target?.organization === true);
  const suspendedUntil = time(suspension?.endsAt);
  return {
    ...(known.length > 0 && { stops: known }),
    ...(suspendedUntil !== undefined && { suspendedUntil }),
  };
}

function decodeStop({ id, target, reason, endsAt }: StopRecord__Output): Stop[] {
  const { provider, model, directKeys = false, organization = false } = target ?? {};
  if (organization || (provider === undefined && model === undefined && !directKeys)) return [];
  // The contract's model of a provider is without its name.
  const selector = provider === undefined || model === undefined ? model : `${provider}/${model}`;
  return [{ id, provider, model: selector && canonicalSelector(selector), directKeys, reason, endsAt: time(endsAt) }];
}
