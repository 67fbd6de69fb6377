// Globs over `<provider>/<model>`, where `*` matches any run of characters, also `/`. What they select of models, which may have several
// names, is said in catalog/model-selector.ts.
const globPattern = /^[A-Za-z0-9*][A-Za-z0-9._:@/+*-]{0,319}$/;

/** Whether the text is a glob that can be stored. */
export function isModelGlob(text: string): boolean {
  return globPattern.test(text);
}

/** Linear in the lengths: no regular expression is built from a caller's text. */
export function matchesGlob(glob: string, text: string): boolean {
  const pieces = glob.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return glob === text;
  const last = pieces[pieces.length - 1] ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
