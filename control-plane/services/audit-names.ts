// Names beside the ids of audit events, read when events are read. A name that a resource has lost is still in the
// events of its own changes.
import type { Kysely } from 'kysely';
import { isObject, parseJson } from '../../common/json.ts';
import type { AuditEventsTable } from '../store/audit-table.ts';
import type { Schema } from '../store/schema.ts';
import { type NamedTable, readNames } from '../usage/names.ts';
import { inParts } from '../usage/parts.ts';

type Row = Readonly<AuditEventsTable>;

/** Tables of the kinds of targets that have a name. */
const tables = {
  ai_system: 'ai_systems',
  person: 'people',
  virtual_key: 'virtual_keys',
  provider_key: 'provider_keys',
  provider: 'providers',
  guardrail: 'guardrails',
  route: 'routes',
  webhook: 'webhooks',
  issuer: 'issuers',
} as const satisfies Record<string, NamedTable>;

export interface EventNames {
  actorOf(row: Row): string | undefined;
  targetOf(row: Row): string | undefined;
}

/**
 * Names of one organization's events, or of the platform's. Those of other organizations and of the platform's people
 * stay unknown to an organization.
 */
export async function readEventNames(
  db: Kysely<Schema>,
  organizationId: string | null,
  rows: readonly Row[],
): Promise<EventNames> {
  const names = new Map<string, string>();
  for (const [kind, table] of Object.entries(tables)) {
    const ids = idsOf(rows, kind);
    for (const [id, name] of await readNames(db, table, { organizationId, ids })) names.set(`${kind} ${id}`, name);
  }
  return {
    actorOf: (row) => names.get(`${row.actor_kind} ${row.actor_id}`),
    targetOf: (row) => names.get(`${row.target_kind} ${row.target_id}`) ?? nameIn(row.after) ?? nameIn(row.before),
  };
}

const quotedIds = /"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g;

/** Names of the ids in the states of events, by id; those of other organizations stay unknown. */
export async function readStateNames(
  db: Kysely<Schema>,
  organizationId: string | null,
  rows: readonly Row[],
): Promise<(row: Row) => Readonly<Record<string, string>>> {
  const idsOf = ({ before, after }: Row) =>
    new Set(Array.from(`${before} ${after}`.matchAll(quotedIds), ([, id = '']) => id));
  const ids = [...new Set(rows.flatMap((row) => [...idsOf(row)]))];
  const names = new Map<string, string>();
  for (const part of inParts(ids)) {
    for (const table of Object.values(tables)) {
      for (const [id, name] of await readNames(db, table, { organizationId, ids: part })) names.set(id, name);
    }
  }
  return (row) =>
    Object.fromEntries(
      [...idsOf(row)].flatMap((id) => {
        const name = names.get(id);
        return name === undefined ? [] : [[id, name]];
      }),
    );
}

/** Ids of actors and targets of this kind, each once. */
function idsOf(rows: readonly Row[], kind: string): readonly string[] {
  const ids = rows.flatMap((row) => [
    ...(row.actor_kind === kind ? [row.actor_id] : []),
    ...(row.target_kind === kind ? [row.target_id] : []),
  ]);
  return [...new Set(ids)];
}

/** The name in a state of a resource; of a price its model. */
function nameIn(state: string | null): string | undefined {
  const value = state === null ? undefined : parseJson(state);
  if (!isObject(value)) return undefined;
  const name = value.name ?? value.model;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
