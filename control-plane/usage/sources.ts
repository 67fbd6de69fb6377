// The source of usage: the owners of an event and the requested model. A batch has many events of few sources, and much
// of what is needed for an event depends on its source only.
import type { UsageEventRow } from '../store/schema.ts';

/** The columns of an event's owners. A budget's subject may be in any of them. */
export const subjectColumns = [
  'organization_id',
  'key_id',
  'ai_system_id',
  'person_id',
  'project_key_id',
  'project_ai_system_id',
  'project_person_id',
] as const satisfies readonly (keyof UsageEventRow)[];

/** Any event of a source can be used as the source. */
export type Source = Pick<UsageEventRow, (typeof subjectColumns)[number] | 'model_asked' | 'shadow'>;

/** The source with the provider key by which budgets distinguish usage. */
export type BudgetedSource = Source & Pick<UsageEventRow, 'provider_key_id' | 'direct_key'>;

/** Groups events by source, both in their original order. */
export function groupBySource<Event>(
  events: Iterable<Event>,
  rowOf: (event: Event) => UsageEventRow,
): ReadonlyMap<Source, readonly Event[]> {
  return groupAlike(events, rowOf, isSame);
}

/** Like `groupBySource`, also by provider key. */
export function groupByBudgetedSource<Event>(
  events: Iterable<Event>,
  rowOf: (event: Event) => UsageEventRow,
): ReadonlyMap<BudgetedSource, readonly Event[]> {
  const isAlike = (a: BudgetedSource, b: BudgetedSource) =>
    a.provider_key_id === b.provider_key_id && a.direct_key === b.direct_key && isSame(a, b);
  return groupAlike(events, rowOf, isAlike);
}

function groupAlike<Event>(
  events: Iterable<Event>,
  rowOf: (event: Event) => UsageEventRow,
  isAlike: (a: BudgetedSource, b: BudgetedSource) => boolean,
): ReadonlyMap<BudgetedSource, readonly Event[]> {
  const groups = new Map<BudgetedSource, Event[]>();
  const ofKey = new Map<string, BudgetedSource[]>();
  for (const event of events) {
    const row = rowOf(event);
    const sources = ofKey.get(row.key_id);
    const source = sources?.find((each) => isAlike(each, row));
    const group = source === undefined ? undefined : groups.get(source);
    if (group !== undefined) {
      group.push(event);
      continue;
    }
    groups.set(row, [event]);
    if (sources === undefined) ofKey.set(row.key_id, [row]);
    else sources.push(row);
  }
  return groups;
}

function isSame(a: Source, b: Source): boolean {
  return (
    a.model_asked === b.model_asked &&
    a.shadow === b.shadow &&
    subjectColumns.every((column) => a[column] === b[column])
  );
}
