// Maintenance: seals every secret of providers, webhooks and guardrails, every record key and every private key of
// captures, again under the newest master key, so that older keys can be removed. To rotate: put the new key before the old one in GATEWAY_MASTER_KEY,
// restart all replicas, run reseal, remove the old key.
import type { SealKeys } from '../common/seal.ts';
import { sealCaptureKey, unsealCaptureKey } from './domain/capture-key.ts';
import { sealProviderSecret, unsealProviderSecret } from './domain/provider-secret.ts';
import { sealRecordKey, unsealRecordKey } from './domain/record-key.ts';
import { sealWebhookSecret, unsealWebhookSecret } from './domain/webhook.ts';
import type { Schema } from './store/schema.ts';
import type { ChangeTransaction, Store } from './store/store.ts';

export interface Resealed {
  readonly resealed: number;
  /** Ids of rows whose secret no configured master key opens; of keys of organizations, those organizations. */
  readonly lost: readonly string[];
}

/** One change: all secrets or none. @throws StoreUnavailableError */
export function resealProviderSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, secretsOf('provider_keys', 'ProviderKeys.Reseal'), (row) => {
    const binding = { ...bindingOf(row), providerKeyId: row.id };
    const opened = unsealProviderSecret(masterKeys, binding, row.secret);
    return opened && sealProviderSecret(masterKeys, binding, opened);
  });
}

/** One change: all secrets or none. Only webhook guardrails have secrets. @throws StoreUnavailableError */
export function resealGuardrailSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, secretsOf('guardrails', 'Guardrails.Reseal'), (row) => {
    const binding = { ...bindingOf(row), webhookId: row.id };
    const opened = unsealWebhookSecret(masterKeys, binding, row.secret);
    return opened && sealWebhookSecret(masterKeys, binding, opened);
  });
}

/** One change: all secrets or none. @throws StoreUnavailableError */
export function resealClientSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, secretsOf('issuers', 'SignIn.Reseal'), (row) => {
    const binding = { ...bindingOf(row), webhookId: row.id };
    const opened = unsealWebhookSecret(masterKeys, binding, row.secret);
    return opened && sealWebhookSecret(masterKeys, binding, opened);
  });
}

/** One change: all secrets or none. @throws StoreUnavailableError */
export function resealWebhookSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  return reseal(store, secretsOf('webhooks', 'Webhooks.Reseal'), (row) => {
    const binding = { ...bindingOf(row), webhookId: row.id };
    const opened = unsealWebhookSecret(masterKeys, binding, row.secret);
    return opened && sealWebhookSecret(masterKeys, binding, opened);
  });
}

/** One change: all keys or none. @throws StoreUnavailableError */
export function resealRecordKeys(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  const rows = generationsOf('record_keys', 'Organizations.ResealRecordKeys');
  return reseal(store, rows, ({ organization_id: organizationId, generation, secret }) => {
    const binding = { organizationId, generation };
    const opened = unsealRecordKey(masterKeys, binding, secret);
    return opened && sealRecordKey(masterKeys, binding, opened);
  });
}

/** One change: all keys or none. @throws StoreUnavailableError */
export function resealCaptureKeys(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  const rows = generationsOf('capture_keys', 'Captures.ResealKeys');
  return reseal(store, rows, ({ organization_id: organizationId, generation, secret }) => {
    const binding = { organizationId, generation };
    const opened = unsealCaptureKey(masterKeys, binding, secret);
    return opened && sealCaptureKey(masterKeys, binding, opened);
  });
}

type Database = ChangeTransaction['db'];

/** The rows of a table with sealed secrets. */
interface SealedRows<Row> {
  readonly table: keyof Schema;
  readonly action: string;
  read(db: Database): Promise<readonly Row[]>;
  write(db: Database, row: Row, secret: string): Promise<unknown>;
  /** As an operator can find it. */
  nameOf(row: Row): string;
}

type SecretRow = Pick<Schema['webhooks'], 'id' | 'organization_id' | 'secret' | 'secret_version'>;

function secretsOf(
  table: 'provider_keys' | 'webhooks' | 'guardrails' | 'issuers',
  action: string,
): SealedRows<SecretRow> {
  return {
    table,
    action,
    read: (db) =>
      db
        .selectFrom(table)
        .select(['id', 'organization_id', 'secret', 'secret_version'])
        .where('secret', 'is not', null)
        .$narrowType<{ secret: string }>()
        .execute(),
    write: (db, { id }, secret) => db.updateTable(table).set({ secret }).where('id', '=', id).execute(),
    nameOf: ({ id }) => id,
  };
}

function bindingOf(row: SecretRow) {
  return { organizationId: row.organization_id, version: row.secret_version };
}

type GenerationRow = Pick<Schema['record_keys'], 'organization_id' | 'generation' | 'secret'>;

function generationsOf(table: 'record_keys' | 'capture_keys', action: string): SealedRows<GenerationRow> {
  return {
    table,
    action,
    read: (db) => db.selectFrom(table).select(['organization_id', 'generation', 'secret']).execute(),
    write: (db, { organization_id: id, generation }, secret) =>
      db
        .updateTable(table)
        .set({ secret })
        .where('organization_id', '=', id)
        .where('generation', '=', generation)
        .execute(),
    nameOf: ({ organization_id: id }) => id,
  };
}

/** @param sealAnew returns undefined if no key opens the secret */
function reseal<Row>(
  store: Store,
  { table, action, read, write, nameOf }: SealedRows<Row>,
  sealAnew: (row: Row) => string | undefined,
): Promise<Resealed> {
  const context = { actor: { kind: 'system', id: 'reseal' }, from: '', action } as const;
  return store.change(context, async ({ db }) => {
    const rows = await read(db);
    const lost: string[] = [];
    for (const row of rows) {
      const secret = sealAnew(row);
      if (secret === undefined) lost.push(nameOf(row));
      else await write(db, row, secret);
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
