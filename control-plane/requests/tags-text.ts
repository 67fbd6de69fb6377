// The tags of a request as the text of a column, in which a filter finds each: names have no equals sign, and neither
// names nor values have line breaks.
type Tags = Readonly<Record<string, string>>;

/** @returns a line for each tag, with a line break before and after it; empty without tags */
export function tagsText(tags: Tags): string {
  const lines = Object.entries(tags).map(([name, value]) => `${name}=${value}\n`);
  return lines.length === 0 ? '' : `\n${lines.toSorted().join('')}`;
}

/** The part of a text that has this tag. */
export function tagPart(name: string, value: string): string {
  return `\n${name}=${value}\n`;
}

export function tagsIn(text: string): Tags {
  const lines = text.split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
