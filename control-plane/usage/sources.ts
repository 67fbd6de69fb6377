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

/** Groups events by source, both in their original order. */
export function groupBySource<Event>(
  events: Iterable<Event>,
  rowOf: (event: Event) => UsageEventRow,
): ReadonlyMap<Source, readonly Event[]> {
  const groups = new Map<Source, Event[]>();
  const ofKey = new Map<string, Source[]>();
  for (const event of events) {
    const row = rowOf(event);
    const sources = ofKey.get(row.key_id);
    const source = sources?.find((each) => isSame(each, row));
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
