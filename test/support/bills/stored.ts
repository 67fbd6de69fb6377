// Results of bill comparisons, written directly to the database, and requests about bills: for tests of what operators see
// and do.
import { randomUUID } from 'node:crypto';
import type { StoreDatabase } from '../databases.ts';
import { freshName } from '../operators.ts';

const tokens = '{"prompt":0,"completion":0,"cacheRead":0,"cacheWrite":0,"cacheWrite1h":0,"reasoning":0}';

/** An explained difference of 5 nano-dollars. @returns its id */
export async function writeDrift(database: StoreDatabase, organizationId: string): Promise<string> {
  const id = randomUUID();
  await database.raw(
    `insert into reconcile_rows (organization_id, id, vendor, day, provider_key_ids, refs, model, name, kind, billed, ledger, drift,
       adjusted, ledger_tokens, ledger_requests, reasons, unexplained, state, first_seen_at, compared_at, told_drift)
     values ('${organizationId}', '${id}', 'openai', '2026-10-01', '[]', '[]', 'gpt-provider/gpt-4o', 'gpt-4o', 'usage', 5, 0, 5,
       0, '${tokens}', 0, '[]', 0, 'explained', 0, 0, 5)`,
  );
  return id;
}

export const importedBill = (tenant: { readonly id: string }) => ({
  ...{ organizationId: tenant.id, document: 'BILL_DOCUMENT_OTHER' },
  days: [{ day: new Date().toISOString().slice(0, 10), rows: [] }],
});
export const bill = (tenant: { readonly id: string }) => ({
  ...{ organizationId: tenant.id, document: 'BILL_DOCUMENT_OTHER', from: '2026-10-01', to: '2026-10-02' },
});
export const mapping = (tenant: { readonly id: string }) => ({
  ...{ organizationId: tenant.id, vendor: 'BILL_VENDOR_OPENAI', ignored: true },
  reference: { kind: 'BILL_REFERENCE_KIND_API_KEY', value: freshName('key') },
});
