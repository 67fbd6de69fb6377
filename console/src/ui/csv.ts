// Tables as text.

/** RFC 4180. Cells that a spreadsheet would read as formulas begin with an apostrophe. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
