// Which models may be called: globs over `<provider>/<model>`, where `*` matches any run of characters, also `/`.
// Lists of several levels intersect; an empty list allows all.
const globPattern = /^[A-Za-z0-9*][A-Za-z0-9._:@/+*-]{0,319}$/;

/** Whether the text is a glob that can be stored. */
export function isModelGlob(text: string): boolean {
  return globPattern.test(text);
}

/** Whether a list allows the model. Linear in the lengths: no regular expression is built from a caller's text. */
export function isModelAllowed(globs: readonly string[], model: string): boolean {
  return globs.length === 0 || globs.some((glob) => matchesGlob(glob, model));
}

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
