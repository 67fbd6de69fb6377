// The word that a format's error envelope has for each status of an error.

/** @param words by status @param others for every other status below 500, and from 500 on */
export function statusWords(
  words: Readonly<Record<number, string>>,
  others: { readonly client: string; readonly server: string },
): (status: number) => string {
  return (status) => words[status] ?? (status < 500 ? others.client : others.server);
}
