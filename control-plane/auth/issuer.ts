// An issuer as sign-ins use it: its row with the secret open, and the rule for its URLs. Like the secrets of webhooks,
// the client's secret is sealed and bound to its row.
import type { Selectable } from 'kysely';
import { aList, aRecord, aString, aWord } from '../../common/json-shape.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Secret } from '../../common/secret.ts';
import type { ClaimRow } from '../domain/issuer.ts';
import { sealWebhookSecret, unsealWebhookSecret } from '../domain/webhook.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';

export type IssuerRow = Selectable<Schema['issuers']>;

/** The column of the claims that give roles. */
export const roleRowsOf = jsonColumn(
  'issuers',
  'roles',
  aList(aRecord<ClaimRow>({ claim: aString, value: aString, role: aWord(['admin', 'member'] as const) })),
);

type SecretRow = Pick<IssuerRow, 'id' | 'organization_id' | 'secret_version'>;

/** @returns base64, for column `secret` */
export function sealClientSecret(keys: SealKeys, row: SecretRow, secret: Secret): string {
  return sealWebhookSecret(keys, bindingOf(row), secret.reveal());
}

/** Undefined for a public client. @throws Error if no master key opens the secret */
export function openClientSecret(keys: SealKeys, row: SecretRow & Pick<IssuerRow, 'secret'>): string | undefined {
  if (row.secret === null) return undefined;
  const opened = unsealWebhookSecret(keys, bindingOf(row), row.secret);
  if (opened === undefined) throw new Error(`no master key opens the client secret of issuer ${row.id}`);
  return opened;
}

function bindingOf({ id, organization_id, secret_version }: SecretRow) {
  return { organizationId: organization_id, webhookId: id, version: secret_version };
}
