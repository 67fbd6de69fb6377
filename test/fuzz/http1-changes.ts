// Small changes of messages of HTTP/1.1, by which two parsers could come to see two things.
import type { Random } from '../support/access/random.ts';

/** What is changed: messages as real programs send them, and lines that are added to their heads. */
export interface Messages {
  readonly forms: readonly string[];
  readonly lines: readonly string[];
}

const special = [
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', ':', ';', ',', '"', '\\', '/', '\x0b', '\x7f', '\x80', '\xff'],
  ...['\xa0', '0', '1', '5', 'f', 'F', 'x', '-', '+', '_', 'chunked', 'close', 'identity', 'gzip, chunked'],
  'HTTP/1.1 200 OK\r\n',
];

type Change = (random: Random, text: string, messages: Messages) => string;

const at = (random: Random, text: string) => random.below(text.length + 1);

const changes: readonly Change[] = [
  (random, text) => spliced(text, at(random, text), 0, random.pick(special)),
  (random, text) => spliced(text, at(random, text), 1, random.pick(special)),
  (random, text) => spliced(text, at(random, text), 1 + random.below(4), ''),
  (random, text, { lines }) => withLine(random, text, random.pick(lines)),
  (random, text, { lines }) => withLine(random, text, random.pick(lines)),
  (random, text) => withoutLine(random, text),
  (random, text) => text.slice(0, at(random, text)),
  (random, text, { forms }) => text + random.pick([...special, ...forms]),
  (random, text) => text.replace(/\d+/g, (digits) => (random.chance(0.2) ? String(random.below(40)) : digits)),
  (random, text) => (random.chance(0.5) ? text.toUpperCase() : text.toLowerCase()),
  (random, text) => text.replaceAll('\r\n', () => (random.chance(0.1) ? random.pick(['\n', '\r', '\r\r\n']) : '\r\n')),
  (random, text) =>
    text.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.10', 'ICY'])),
];

/** @returns the bytes of one message, with none to three changes, as Latin-1 */
export function changedMessage(random: Random, messages: Messages): string {
  let text = random.pick(messages.forms);
  for (let times = random.below(4); times > 0; times--) text = random.pick(changes)(random, text, messages);
  return text;
}

function spliced(text: string, from: number, removed: number, added: string): string {
  return text.slice(0, from) + added + text.slice(from + removed);
}

function withLine(random: Random, text: string, line: string): string {
  const parts = text.split('\r\n');
  const end = Math.max(1, parts.indexOf(''));
  return parts.toSpliced(1 + random.below(end), 0, line).join('\r\n');
}

function withoutLine(random: Random, text: string): string {
  const parts = text.split('\r\n');
  return parts.toSpliced(random.below(parts.length), 1).join('\r\n');
}
