// Replaces members of a JSON object in its text, so that everything else stays as it was written: spaces, the order and
// the spelling of numbers, and members that the gateway does not know.
import { writeJson } from '../../common/exact-json.ts';
import { isObject, parseJson } from '../../common/json.ts';
import type { ClientRequest } from './client-format.ts';
import { protocolError } from './protocol-error.ts';

/** A client's body for a vendor of the same format. @param members changed ones, as in {@link withMembers} */
export function passedBody(client: PassedClient, members: ReadonlyMap<string, string>): string {
  const text = passedText(client);
  return members.size === 0 ? text.toString() : withMembers(text, members);
}

type PassedClient = Pick<ClientRequest, 'bytes' | 'body'>;

/**
 * The request that is inside a client's body, as if it had come alone.
 * @param path names of the members that lead to it; if there is no object, the client's request is returned
 */
export function innerClient(client: ClientRequest, path: readonly string[]): ClientRequest {
  let { body } = client;
  let bytes = passedText(client);
  for (const name of path) {
    const inner = body[name];
    const span = membersOf(bytes).find((member) => member.name === name)?.value;
    if (!isObject(inner) || span === undefined) return client;
    body = inner;
    bytes = bytes.subarray(span.start, span.end);
  }
  return { ...client, body, bytes };
}

/**
 * As it came, unless an object in it has a member twice. Only one of the two was inspected, and the vendor may read the
 * other.
 */
function passedText({ bytes, body }: PassedClient): Buffer {
  return bytes !== undefined && colonsIn(bytes) === membersBelow(body) ? bytes : Buffer.from(writeJson(body));
}

/** Colons outside of strings. */
function colonsIn(text: Buffer): number {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === quote) at = stringEnd(text, at) - 1;
    else if (text[at] === colon) colons++;
  }
  return colons;
}

function membersBelow(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + membersBelow(one), 0);
  if (!isObject(value)) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + 1 + membersBelow(one), 0);
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const space: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const [open, close, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Byte offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * @param text a JSON object that a parser has accepted
 * @param members new JSON text by name, for members at the top; a name that occurs twice is replaced everywhere, and
 * one that is missing is added at the end
 */
export function withMembers(text: Buffer, members: ReadonlyMap<string, string>): string {
  const spans = membersOf(text);
  const pieces: string[] = [];
  let written = 0;
  for (const { name, value } of spans) {
    const json = members.get(name);
    if (json === undefined) continue;
    pieces.push(text.toString('utf8', written, value.start), json);
    written = value.end;
  }
  const known = new Set(spans.map(({ name }) => name));
  const added = [...members].filter(([name]) => !known.has(name));
  if (added.length > 0) {
    const end = text.lastIndexOf(close);
    const fields = added.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',');
    pieces.push(text.toString('utf8', written, end), spans.length > 0 ? ',' : '', fields);
    written = end;
  }
  return pieces.join('') + text.toString('utf8', written);
}

/** @param text a JSON object that a parser has accepted, without the members of these names at its top */
export function withoutMembers(text: string, names: ReadonlySet<string>): string {
  const bytes = Buffer.from(text);
  const members = membersOf(bytes);
  if (!members.some(({ name }) => names.has(name))) return text;
  const pieces: string[] = [];
  let before = members[0]?.start ?? 0;
  const head = bytes.toString('utf8', 0, before);
  // Each member is kept with the comma before it, except for the first.
  for (const { name, start, value } of members) {
    if (!names.has(name)) pieces.push(bytes.toString('utf8', pieces.length === 0 ? start : before, value.end));
    before = value.end;
  }
  return head + pieces.join('') + bytes.toString('utf8', before);
}

/** The names of the members at the top of a JSON object. */
export function namesIn(text: Buffer): readonly string[] {
  return membersOf(text).map(({ name }) => name);
}

interface Member {
  readonly name: string;
  /** Offset of the name. */
  readonly start: number;
  readonly value: Span;
}

function membersOf(text: Buffer): readonly Member[] {
  const members: Member[] = [];
  let at = text.indexOf(open) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] !== quote) return members;
    const nameEnd = stringEnd(text, at);
    const name = parseJson(text.toString('utf8', at, nameEnd));
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    members.push({ name: String(name), start: at, value: { start, end } });
    at = skipSpace(text, end);
    if (text[at] !== comma) return members;
    at++;
  }
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  while (space.has(text[at])) at++;
  return at;
}

/** The index after the string that begins here. */
function stringEnd(text: Buffer, from: number): number {
  for (let at = text.indexOf(quote, from + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (text[before] === backslash) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  throw protocolError('a string of the body does not end');
}

/** The index after the value that begins here. */
function valueEnd(text: Buffer, from: number): number {
  if (text[from] === quote) return stringEnd(text, from);
  let depth = 0;
  let at = from;
  for (; at < text.length; at++) {
    const byte = text[at];
    if (depth === 0 && (byte === comma || byte === close)) break;
    if (byte === quote) at = stringEnd(text, at) - 1;
    else if (byte === open || byte === openList) depth++;
    else if ((byte === close || byte === closeList) && --depth === 0) return at + 1;
  }
  return trimmedEnd(text, at);
}

function trimmedEnd(text: Buffer, from: number): number {
  let at = from;
  while (at > 0 && space.has(text[at - 1])) at--;
  return at;
}
