// Files that the page makes of what it shows.

/** Gives the reader a file. */
export function saveFile(name: string, content: string | Blob, type = 'text/csv'): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
