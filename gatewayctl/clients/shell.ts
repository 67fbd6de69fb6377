// Text for a POSIX shell.

/** A word that the shell reads as this text; a path below `$HOME` stays one. */
export function shellWord(text: string): string {
  if (/^\$HOME\/[\w./-]+$/.test(text)) return `"${text}"`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `export` lines: variables with a value, then variables whose value is that of another variable. */
export function exportLines(values: Readonly<Record<string, string>>, copies: Readonly<Record<string, string>>) {
  return [
    ...Object.entries(values).map(([name, value]) => `export ${name}=${shellWord(value)}\n`),
    ...Object.entries(copies).map(([name, from]) => `export ${name}="$${from}"\n`),
  ].join('');
}
