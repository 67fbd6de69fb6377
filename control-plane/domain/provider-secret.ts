// The secret of a provider key in the database: sealed, and bound to its organization, provider key, field and version.
// A sealed secret that is copied to another row, or restored from an older backup of its row, does not open.
import { at, readShape } from '../../common/json-shape.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import { aMessage } from '../../proto/json/message-shape.ts';

/** The secret in plain text, as the vendor needs it. It is passed on at once and never stored or logged. */
export interface ProviderSecretText {
  readonly apiKey?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

/** The row that a sealed secret belongs to. */
export interface ProviderSecretBinding {
  readonly organizationId: string;
  readonly providerKeyId: string;
  /** Column `secret_version`. */
  readonly version: number;
}

/** @returns base64, for column `secret` */
export function sealProviderSecret(keys: SealKeys, binding: ProviderSecretBinding, secret: ProviderSecretText): string {
  return seal(keys, context(binding), Buffer.from(JSON.stringify(secret))).toString('base64');
}

/** Undefined if no key opens it for this row: another master key, another row, or an altered value. */
export function unsealProviderSecret(
  keys: SealKeys,
  binding: ProviderSecretBinding,
  sealed: string,
): ProviderSecretText | undefined {
  const opened = unseal(keys, context(binding), Buffer.from(sealed, 'base64'));
  const named = (value: unknown) => at(`provider_keys.secret of ${binding.providerKeyId}`, theSecret, value);
  return opened === undefined ? undefined : readShape(opened.toString(), named);
}

/** An authenticated secret was written by sealProviderSecret, perhaps of another version. */
const theSecret = aMessage<ProviderSecretText>('ProviderSecret');

function context({ organizationId, providerKeyId, version }: ProviderSecretBinding): SealContext {
  return {
    derive: ['provider-secret', organizationId],
    associated: [organizationId, providerKeyId, 'secret', String(version)],
  };
}
