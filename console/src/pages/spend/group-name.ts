// The name of a row of usage.
import type { UsageTotal } from '../../../generated/contract.ts';
import { date, dateTime } from '../../ui/format.ts';

/** @param by a dimension of usage, or "tag:<name>" */
export function groupName(row: UsageTotal, by: string): string {
  if (by.startsWith('tag:')) return row.metadata[by.slice('tag:'.length)] ?? '(none)';
  switch (by) {
    case 'ai-system':
      return row.aiSystemName ?? row.aiSystemId ?? '(no AI system)';
    case 'person':
      return row.personName ?? row.personId ?? '(no person)';
    case 'key':
      return row.keyName ?? row.keyId ?? '(no key)';
    case 'model':
      return row.model ?? '(unknown)';
    case 'provider':
      return row.provider ?? '(unknown)';
    case 'day':
      return dayName(row.at);
    case 'hour':
      return dateTime(row.at);
    default:
      return 'All';
  }
}

/** A UTC day, by its date in UTC whatever the reader's zone. */
function dayName(at: string | undefined): string {
  return at === undefined ? '' : date(`${at.slice(0, 10)}T12:00:00`);
}
