// CSV by RFC 4180 that is safe to open in a spreadsheet: a text that looks like a formula gets an apostrophe in front.

export type Cell = string | number | boolean | null;

/** One record with its line end. Null is the empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
