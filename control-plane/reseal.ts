// Maintenance: seals every secret of providers, webhooks and guardrails again under the newest master key, so that
// older keys can be removed. To rotate: put the new key before the old one in GATEWAY_MASTER_KEY, restart all replicas,
// run reseal, remove the old key.
import type { SealKeys } from '../common/seal.ts';
import { sealProviderSecret, unsealProviderSecret } from './domain/provider-secret.ts';
import { sealWebhookSecret, unsealWebhookSecret } from './domain/webhook.ts';
import type { Schema } from './store/schema.ts';
import type { Store } from './store/store.ts';

export interface Resealed {
  readonly resealed: number;
  /** Ids of rows whose secret no configured master key opens. */
  readonly lost: readonly string[];
}

/** One change: all secrets or none. @throws StoreUnavailableError */
export function resealProviderSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, { table: 'provider_keys', action: 'ProviderKeys.Reseal' }, (row) => {
    const binding = { ...bindingOf(row), providerKeyId: row.id };
    const opened = unsealProviderSecret(masterKeys, binding, row.secret);
    return opened && sealProviderSecret(masterKeys, binding, opened);
  });
}

/** One change: all secrets or none. Only webhook guardrails have secrets. @throws StoreUnavailableError */
export function resealGuardrailSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, { table: 'guardrails', action: 'Guardrails.Reseal' }, (row) => {
    const binding = { ...bindingOf(row), webhookId: row.id };
    const opened = unsealWebhookSecret(masterKeys, binding, row.secret);
    return opened && sealWebhookSecret(masterKeys, binding, opened);
  });
}

/** One change: all secrets or none. @throws StoreUnavailableError */
export function resealWebhookSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, { table: 'webhooks', action: 'Webhooks.Reseal' }, (row) => {
    const binding = { ...bindingOf(row), webhookId: row.id };
    const opened = unsealWebhookSecret(masterKeys, binding, row.secret);
    return opened && sealWebhookSecret(masterKeys, binding, opened);
  });
}

type SealedTable = 'provider_keys' | 'webhooks' | 'guardrails';
type SealedRow = Pick<Schema['webhooks'], 'id' | 'organization_id' | 'secret' | 'secret_version'>;

function bindingOf(row: SealedRow) {
  return { organizationId: row.organization_id, version: row.secret_version };
}

/** @param sealAnew returns undefined if no key opens the secret */
function reseal(
  store: Store,
  { table, action }: { readonly table: SealedTable; readonly action: string },
  sealAnew: (row: SealedRow) => string | undefined,
): Promise<Resealed> {
  const context = { actor: { kind: 'system', id: 'reseal' }, from: '', action } as const;
  return store.change(context, async ({ db }) => {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'organization_id', 'secret', 'secret_version'])
      .where('secret', 'is not', null)
      .$narrowType<{ secret: string }>()
      .execute();
    const lost: string[] = [];
    for (const row of rows) {
      const secret = sealAnew(row);
      if (secret === undefined) lost.push(row.id);
      else await db.updateTable(table).set({ secret }).where('id', '=', row.id).execute();
    }
    const result = { resealed: rows.length - lost.length, lost };
    // Proxies and workers still open the same secret, so nothing is invalidated.
    return {
      result,
      organizationId: undefined,
      target: { kind: table, id: 'all' },
      after: result,
      invalidations: [],
    };
  });
}
