// Normalizes base64 to the one form that all readers accept.

/**
 * Converts to the form that every vendor accepts: standard alphabet, padded, on one line. Programs also write base64 in
 * lines (MIME), without padding, or in the URL-safe alphabet.
 * @returns undefined if the text is none of these
 */
export function plainBase64(text: string): string | undefined {
  if (isPlain(text)) return text;
  const bare = text
    .replaceAll(/[\r\n\t ]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
  return isPlain(padded) ? padded : undefined;
}

function isPlain(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
