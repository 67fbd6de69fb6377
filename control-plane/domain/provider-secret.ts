// The secret of a provider key as the database holds it: sealed, and bound to its organization, provider key, field and
// version, so that a sealed secret which is copied to another row or put back from an older backup of it does not open.
import { at, readShape } from '../../common/json-shape.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import { aMessage } from '../../proto/json/message-shape.ts';

/** What is sent to a vendor, in plain text: to be handed on at once, never kept or logged. */
export interface ProviderSecretText {
  readonly apiKey?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

/** Where a sealed secret belongs. */
export interface ProviderSecretPlace {
  readonly organizationId: string;
  readonly providerKeyId: string;
  /** Column `secret_version`. */
  readonly version: number;
}

/** @returns base64, for column `secret` */
export function sealProviderSecret(
  keys: SealKeys,
  place: ProviderSecretPlace,
  secret: ProviderSecretText,
): string {
  return seal(keys, context(place), Buffer.from(JSON.stringify(secret))).toString('base64');
}

/** Undefined if no key opens it in this place: another master key, another row, or an altered value. */
export function unsealProviderSecret(
  keys: SealKeys,
  place: ProviderSecretPlace,
  sealed: string,
): ProviderSecretText | undefined {
  const opened = unseal(keys, context(place), Buffer.from(sealed, 'base64'));
  const named = (value: unknown) => at(`provider_keys.secret of ${place.providerKeyId}`, theSecret, value);
  return opened === undefined ? undefined : readShape(opened.toString(), named);
}

/** What the seal has authenticated was written by sealProviderSecret, perhaps of another version. */
const theSecret = aMessage<ProviderSecretText>('ProviderSecret');

function context({ organizationId, providerKeyId, version }: ProviderSecretPlace): SealContext {
  return {
    derive: ['provider-secret', organizationId],
    associated: [organizationId, providerKeyId, 'secret', String(version)],
  };
}
