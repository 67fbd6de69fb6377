// The present names of what usage belongs to, read for a page of rows.
import type { Kysely } from 'kysely';
import type { ScopeKind } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';

export interface KeyName {
  readonly name: string;
  readonly scopeKind: ScopeKind;
  readonly scopeId: string;
}

/** By id. What was deleted has none; a revoked key has its last one. */
export interface UsageNames {
  readonly systems: ReadonlyMap<string, string>;
  readonly people: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, KeyName>;
}

type Id = string | null | undefined;

/** Ids whose names are wanted; null, undefined and "" have none. */
export interface NamedIds {
  readonly systems?: readonly Id[];
  readonly people?: readonly Id[];
  readonly keys?: readonly Id[];
}

/** Reads names of the organization's own resources. The scopes of keys are named too. */
export async function readUsageNames(
  db: Kysely<Schema>,
  organizationId: string,
  { systems = [], people = [], keys = [] }: NamedIds,
): Promise<UsageNames> {
  const ofKeys = await readKeys(db, organizationId, present(keys));
  const scopesOf = (kind: ScopeKind) =>
    [...ofKeys.values()].filter(({ scopeKind }) => scopeKind === kind).map(({ scopeId }) => scopeId);
  const [ofSystems, ofPeople] = [
    await readNames(db, 'ai_systems', { organizationId, ids: present([...systems, ...scopesOf('ai_system')]) }),
    await readNames(db, 'people', { organizationId, ids: present([...people, ...scopesOf('person')]) }),
  ];
  return { systems: ofSystems, people: ofPeople, keys: ofKeys };
}

/** The name of a key's scope; undefined for the organization, and for what was deleted. */
export function scopeNameOf({ scopeKind, scopeId }: KeyName, names: UsageNames): string | undefined {
  switch (scopeKind) {
    case 'organization':
      return undefined;
    case 'ai_system':
      return names.systems.get(scopeId);
    case 'person':
      return names.people.get(scopeId);
  }
}

/** Each id once; null, undefined and "" are none. */
export function present(ids: readonly Id[]): readonly string[] {
  return [...new Set(ids.filter((id): id is string => id !== null && id !== undefined && id !== ''))];
}

export type NamedTable =
  | 'ai_systems'
  | 'people'
  | 'virtual_keys'
  | 'provider_keys'
  | 'guardrails'
  | 'providers'
  | 'routes'
  | 'webhooks'
  | 'issuers';

export interface IdsOfOrganization {
  /** Null for resources of the platform. */
  readonly organizationId: string | null;
  readonly ids: readonly string[];
}

/** Names by id. Ids of another organization have none. */
export async function readNames(
  db: Kysely<Schema>,
  table: NamedTable,
  { organizationId, ids }: IdsOfOrganization,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(table)
    .select(['id', 'name'])
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function readKeys(
  db: Kysely<Schema>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeyName>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('virtual_keys')
    .select(['id', 'name', 'scope_kind as scopeKind', 'scope_id as scopeId'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...key }) => [id, key]));
}
