// Assigns a row of a bill to provider keys, by the most specific of its references that an operator has mapped.
// Provider keys that share a reference cannot be distinguished by it, so they are compared together as one group.
import type { Selectable } from 'kysely';
import { aList, aRecord, aString, aWord } from '../../common/json-shape.ts';
import { type BillReferenceKind, billReferenceKinds } from '../../proto/words/money.ts';
import { jsonColumn, strings } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';

export interface Reference {
  readonly kind: BillReferenceKind;
  readonly value: string;
}

export interface Group {
  /** The same for every way to find the group. */
  readonly id: string;
  /** Sorted; empty if the reference is not mapped. */
  readonly keys: readonly string[];
  /** The reference that is not mapped. */
  readonly unmapped?: Reference;
}

export type Mapped =
  | { readonly kind: 'group'; readonly group: Group; readonly by: Reference | undefined }
  | { readonly kind: 'ignored' };

export interface Mappings {
  of(refs: readonly Reference[]): Mapped;
  /** Undefined if no reference of the vendor is mapped to the key. */
  groupOf(providerKeyId: string): Group | undefined;
  readonly groups: readonly Group[];
  /**
   * Whether references of this kind are mapped to the group. Then an unmapped reference of this kind was left out or is
   * unknown.
   */
  maps(kind: BillReferenceKind, group: Group): boolean;
  /** The model that an operator has mapped a bill's model name to. */
  modelOf(text: string): { readonly model: string } | 'ignored' | undefined;
}

export type MappingRow = Pick<
  Selectable<Schema['bill_mappings']>,
  'kind' | 'value' | 'provider_key_ids' | 'model' | 'ignored'
>;

export const mappedKeys = jsonColumn('bill_mappings', 'provider_key_ids', strings);

/** References of a bill, a difference or an adjustment. */
export const theReferences = aList(aRecord<Reference>({ kind: aWord(billReferenceKinds.words), value: aString }));

/** @param rows of one vendor */
export function createMappings(rows: readonly MappingRow[]): Mappings {
  const byReference = new Map(rows.map((row) => [keyOf(row), row]));
  const groups = groupsOf(rows.filter(({ kind }) => kind !== 'model').map((row) => mappedKeys(row, row.kind)));
  const mappedBy = (ref: Reference) => byReference.get(keyOf(ref));
  const kinds = new Set(rows.map((row) => `${row.kind} ${firstGroup(groups, row)?.id}`));
  return {
    groups: [...new Set(groups.values())],
    maps: (kind, group) => kinds.has(`${kind} ${group.id}`),
    groupOf: (providerKeyId) => groups.get(providerKeyId),
    of: (refs) => {
      const by = refs.find((ref) => mappedBy(ref) !== undefined);
      const row = by && mappedBy(by);
      if (row === undefined) return { kind: 'group', group: unmappedGroup(refs), by };
      const group = firstGroup(groups, row);
      return row.ignored === 1 || group === undefined ? { kind: 'ignored' } : { kind: 'group', group, by };
    },
    modelOf: (text) => {
      const row = mappedBy({ kind: 'model', value: text });
      if (row === undefined) return undefined;
      return row.model === null ? 'ignored' : { model: row.model };
    },
  };
}

/** The group of a provider key without a mapping. @param providerKeyId empty if the proxy did not report it */
export function groupWithoutMapping(providerKeyId: string): Group {
  return { id: `key:${providerKeyId}`, keys: providerKeyId === '' ? [] : [providerKeyId] };
}

/** All keys of a mapping are in one group. */
function firstGroup(groups: ReadonlyMap<string, Group>, row: MappingRow): Group | undefined {
  const [first = ''] = mappedKeys(row, row.kind);
  return groups.get(first);
}

function unmappedGroup(refs: readonly Reference[]): Group {
  const [first] = refs;
  if (first === undefined) return { id: 'none', keys: [] };
  return { id: `ref:${first.kind}:${first.value}`, keys: [], unmapped: first };
}

function keyOf({ kind, value }: Pick<Reference, 'kind' | 'value'>): string {
  return `${kind} ${value}`;
}

/** Joins lists that share a member. @returns the group of each member */
function groupsOf(lists: readonly (readonly string[])[]): ReadonlyMap<string, Group> {
  const sets = new Map<string, Set<string>>();
  for (const list of lists) {
    const joined = new Set(list.flatMap((key) => [key, ...(sets.get(key) ?? [])]));
    for (const key of joined) sets.set(key, joined);
  }
  const groups = new Map<string, Group>();
  for (const set of new Set(sets.values())) {
    const keys = [...set].toSorted();
    const group = { id: `keys:${keys.join(',')}`, keys };
    for (const key of keys) groups.set(key, group);
  }
  return groups;
}
