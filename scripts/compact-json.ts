// Formats JSON of generated files that are committed: few lines, but one for each entry, so that a diff shows what
// changed.

const shortLength = 120;

/** @param levels whose entries each get a line; deeper or short entries share the line of their parent */
export function compactJson(value: object, levels: number): string {
  return `${format(value, levels)}\n`;
}

function format(value: unknown, levels: number): string {
  const line = JSON.stringify(value);
  if (levels === 0 || typeof value !== 'object' || value === null || line.length <= shortLength) return line;
  if (Array.isArray(value))
    return block(
      '[]',
      value.map((item) => format(item, levels - 1)),
    );
  const defined = Object.entries(value).filter(([, item]) => item !== undefined);
  return block(
    '{}',
    defined.map(([name, item]) => `${JSON.stringify(name)}: ${format(item, levels - 1)}`),
  );
}

function block([open, close]: string, lines: readonly string[]): string {
  const isOneLine = lines.length < 2 && !lines.join().includes('\n');
  return isOneLine ? `${open}${lines.join()}${close}` : `${open}\n${lines.join(',\n')}\n${close}`;
}
