// The tables of webhooks and their deliveries, and the step of migrations.ts that adds what the last attempt returned.
import type { DeliveryState } from '../../proto/words/access.ts';
import type { MigratedDatabase } from './table-forms.ts';

export interface WebhooksTable {
  id: string;
  organization_id: string;
  name: string;
  url: string;
  /** Base64 of the sealed secret. */
  secret: string;
  /** Counts the secrets written; authenticated by the seal. */
  secret_version: number;
  enabled: 0 | 1;
  created_at: number;
  revision: number;
}

export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  organization_id: string;
  type: string;
  /** The body, which is sent and signed unchanged in every try. */
  payload: string;
  state: DeliveryState;
  attempts: number;
  last_status: number | null;
  created_at: number;
  /**
   * When it is due; null once it is over. A replica postpones it before it tries, so that no two replicas try at once.
   */
  next_attempt_at: number | null;
  /** Why the last try got no response. */
  last_error: string | null;
  /** The beginning of the last response's body. */
  last_body: string | null;
  last_attempt_at: number | null;
}

export async function addDeliveryDetails(db: MigratedDatabase): Promise<void> {
  // SQLite adds one column at a time.
  for (const name of ['last_error', 'last_body'] as const) {
    await db.schema.alterTable('webhook_deliveries').addColumn(name, 'text').execute();
  }
  await db.schema.alterTable('webhook_deliveries').addColumn('last_attempt_at', 'bigint').execute();
}
