// What is known of provider keys: the result of the last test, or what a proxy reported since then. A state is no part
// of the key's row, so it takes no revision and proxies are not notified.
import type { Kysely, Selectable } from 'kysely';
import type { ProviderKey } from '../../proto/generated/gateway/v1/ProviderKey.ts';
import { type KeyRefusal, providerKeyStates } from '../../proto/words/access.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { Schema } from '../store/schema.ts';
import type { KeyTestResult } from '../vendors/key-tests.ts';

type StateRow = Selectable<Schema['provider_key_states']>;
export type StateFields = Pick<ProviderKey, 'state' | 'stateAt' | 'stateDetail'>;

/** The fields of each of these keys. */
export async function readStates(db: Kysely<Schema>, ids: readonly string[]): Promise<(id: string) => StateFields> {
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('provider_key_states').selectAll().where('provider_key_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.provider_key_id, row]));
  return (id) => fieldsOf(byId.get(id));
}

function fieldsOf(row: StateRow | undefined): StateFields {
  if (row === undefined) return { state: providerKeyStates.names.untested };
  return { state: providerKeyStates.names[row.state], stateAt: timeText(row.at), stateDetail: row.detail };
}

interface KnownState extends KeyTestResult {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Replaces an older state. */
export async function writeState(db: Kysely<Schema>, { id, at, state, detail }: KnownState): Promise<StateFields> {
  const columns = { state, at, detail };
  await db
    .insertInto('provider_key_states')
    .values({ provider_key_id: id, ...columns })
    .onConflict((conflict) =>
      conflict.column('provider_key_id').doUpdateSet(columns).where('provider_key_states.at', '<=', at),
    )
    .execute();
  return fieldsOf({ provider_key_id: id, ...columns });
}

/** The key was changed: what was known is of another secret or host. */
export async function forgetState(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('provider_key_states').where('provider_key_id', '=', id).execute();
}

/** What a proxy's report means for the whole key. A key that one model is refused to works for others. */
export function stateAfter(cause: KeyRefusal): KeyTestResult | undefined {
  switch (cause) {
    case 'key':
      return { state: 'refused', detail: 'the vendor refused it to a proxy (401)' };
    case 'quota':
      return { state: 'limited', detail: 'a proxy found that nothing is left to spend' };
    case 'access':
      return undefined;
  }
}
