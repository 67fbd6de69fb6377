// Step of migrations.ts that adds when machines were last here: exchanges by a trust row, calls with a token of SCIM.
import type { MigratedDatabase } from './table-forms.ts';

export async function addMachineUse(db: MigratedDatabase): Promise<void> {
  await db.schema.alterTable('service_trusts').addColumn('exchanged_at', 'bigint').execute();
  await db.schema.alterTable('scim_tokens').addColumn('used_at', 'bigint').execute();
}
