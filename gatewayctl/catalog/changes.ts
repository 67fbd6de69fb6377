// What an update would change, for people to look at before it is taken.
import type { Change, Update } from '../../catalog/update.ts';
import { printable } from '../table.ts';

const nothing = '-';
const headers = ['MODEL', 'WHAT', 'BEFORE', 'AFTER', ''];

export function changesText(changes: readonly Change[]): string {
  const rows = [headers, ...changes.map(cells)];
  const widths = headers.map((_header, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

function cells({ model, what, before = nothing, after = nothing, alarm }: Change): readonly string[] {
  return [model, what, before, after, alarm === undefined ? '' : `! ${alarm}`].map(printable);
}

export function summary({ changes, kept, missing }: Update, isWhole: boolean): string {
  const models = new Set(changes.map(({ model }) => model)).size;
  const added = changes.filter(({ what }) => what === 'added').length;
  const alarms = changes.filter(({ alarm }) => alarm !== undefined).length;
  return [
    `${counted(changes.length, 'change')} of ${counted(models, 'model')}, ${added} of them new`,
    ...(alarms > 0 ? [`${counted(alarms, 'change')} to look at first, marked with !`] : []),
    ...(kept.length > 0 ? [`as decided by hand stay ${kept.join(', ')}`] : []),
    ...(missing.length > 0 && !isWhole
      ? [`${counted(missing.length, 'model')} of the catalog are not in it, and stay`]
      : []),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
