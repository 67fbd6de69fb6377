// `name=value` on the command line.

/** Split at the first equals sign; the value may be empty. @returns undefined for a text without a name */
export function pairOf(text: string): readonly [name: string, value: string] | undefined {
  const at = text.indexOf('=');
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
