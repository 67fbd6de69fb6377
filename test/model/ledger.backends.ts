// The backends of the ledger's model: the reference itself, or the real ledger over either database, emptied for each
// schedule.
import { systemClock } from '../../common/clock.ts';
import { openStore } from '../../control-plane/store/open.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { emptyPostgres } from '../support/databases.ts';
import { silentLog } from '../support/silent-log.ts';
import { MemorySide } from './ledger.memory-side.ts';
import type { Executed, LedgerSide, SideDeps, Subjects } from './ledger.side.ts';
import { StoreSide } from './ledger.store-side.ts';

export const backendNames = ['memory', 'sqlite', 'postgres'] as const;

export type BackendName = (typeof backendNames)[number];

export interface Backend {
  readonly openSide: (deps: SideDeps) => Promise<LedgerSide>;
  close(): Promise<void>;
}

/** @param unlocked the kind of operation that takes no locks, as a deliberate fault */
export async function openBackend(name: BackendName, unlocked?: Executed['kind']): Promise<Backend> {
  switch (name) {
    case 'memory':
      return { openSide: async (deps) => new MemorySide(deps), close: async () => undefined };
    case 'sqlite': {
      const store = await openStore({ url: 'sqlite::memory:', log: silentLog, clock: systemClock });
      return { openSide: openOver(store, unlocked), close: () => store.close() };
    }
    case 'postgres': {
      const database = await emptyPostgres();
      return { openSide: openOver(await database.open(), unlocked), close: () => database.drop() };
    }
  }
}

function openOver(store: Store, unlocked: Executed['kind'] | undefined): Backend['openSide'] {
  return async (deps) => {
    await empty(store);
    await fill(store, deps.subjects);
    return new StoreSide({ ...deps, store, unlocked });
  };
}

const tables = [
  ...([
    'budget_notices',
    'leases',
    'budget_windows',
    'limit_counters',
    'budget_adjustments',
    'ledger_sessions',
    'booked_ordinals',
    'epochs',
    'usage_events',
    'usage_hours',
    'usage_sums',
    'usage_folds',
  ] as const),
  ...(['limits', 'virtual_keys', 'ai_systems', 'people', 'organizations', 'audit_events', 'changes'] as const),
];

async function empty(store: Store): Promise<void> {
  await store.ledger(async ({ db }) => {
    for (const table of tables) await db.deleteFrom(table).execute();
  });
}

async function fill(store: Store, { aiSystemIds, keyIds, organizationId, personIds }: Subjects): Promise<void> {
  const row = { allowed_models: '[]', created_at: 0, revision: 0 };
  const owned = { ...row, organization_id: organizationId, active: 1 } as const;
  await store.ledger(async ({ db }) => {
    await db
      .insertInto('organizations')
      .values({
        ...row,
        id: organizationId,
        name: organizationId,
        suspended: 0,
        caller_provider_keys: 0,
        hang_up: 'cancel',
        unknown_cost: 'hold',
        model_aliases: '[]',
        own_tool_egress: 0,
        own_tool_execution: 0,
        stored_responses: 1,
        background_responses: 0,
        safety_identifier: 0,
        priced_options: 1,
        request_days: 30,
        tag_names: '[]',
        weight: 100,
      })
      .execute();
    for (const id of aiSystemIds)
      await db
        .insertInto('ai_systems')
        .values({ ...owned, id, name: id })
        .execute();
    for (const id of personIds)
      await db
        .insertInto('people')
        .values({ ...owned, id, name: id, email: null, role: 'member' })
        .execute();
    for (const id of keyIds)
      await db
        .insertInto('virtual_keys')
        .values({
          ...{ ...owned, id, name: id, scope_kind: 'organization', scope_id: organizationId, metadata: '{}' },
          ...{ ends_at: null, revoked_at: null, client_request_id: null, request_hash: null },
          ...{ priority_class: 'interactive', weight: 100 },
          ...{ created_by: organizationId, last_used_at: null, last_hint: '' },
        })
        .execute();
  });
}
