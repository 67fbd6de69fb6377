// Text from a pod for messages, headers and logs: quoted, without control characters, short.

const shownLengthMax = 80;

export function shown(text: string): string {
  return JSON.stringify(cut(text, shownLengthMax));
}

/** One line of at most this many characters. */
export function cut(text: string, lengthMax: number): string {
  const short = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
  return short.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}
