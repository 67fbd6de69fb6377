// Mutations by a broken or hostile vendor: bytes of a response flipped, cut, repeated or out of order, JSON with other
// values, other bodies altogether. Frames keep valid checksums when only their content changes.
import { crc32 } from 'node:zlib';
import { isObject, parseJson } from '../../common/json.ts';
import type { Random } from '../support/access/random.ts';

/** @param parts the parts of the response, each an event if it is a stream */
export function mutated(random: Random, parts: readonly Buffer[]): Buffer[] {
  let changed = [...parts];
  for (let times = 1 + random.below(3); times > 0; times--) changed = random.pick(mutations)(random, changed);
  return changed;
}

type Mutation = (random: Random, parts: Buffer[]) => Buffer[];

const changeValue: Mutation = (random, parts) => replaced(random, parts, (part) => withOtherValue(random, part));

const mutations: readonly Mutation[] = [
  changeValue,
  changeValue,
  changeValue,
  changeValue,
  (random, parts) => replaced(random, parts, (part) => flipped(random, part)),
  (random, parts) => replaced(random, parts, (part) => part.subarray(0, random.below(part.length + 1))),
  (random, parts) => replaced(random, parts, (part) => Buffer.concat([part, part])),
  (random, parts) => parts.filter(() => random.chance(0.9)),
  (random, parts) => parts.slice(0, random.below(parts.length + 1)),
  (random, parts) => swapped(random, parts),
  (random, parts) => inserted(random, parts, random.pick(strangers)),
  (random, parts) => inserted(random, parts, Buffer.from('x'.repeat(random.pick([100, 70_000])))),
  (random) => [random.pick(strangers)],
  (random) => [noise(random, 300)],
];

const strangers = [
  ...['', '\n\n', '{}', '[]', 'null', '"text"', '{"error":{"message":"no","code":500,"type":"api_error"}}'],
  ...['{"error":"no"}', '[{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}]', '{"choices":[]}'],
  ...['<html><body>502 Bad Gateway</body></html>', 'upstream connect error', '{"choices":[{}]}', '{"candidates":[{}]}'],
  ...['{"output":{"message":{}}}', '{"type":"message","content":[{}]}', 'data: [DONE]\n\n', 'data: {}\n\n'],
  ...['data: null\n\n', 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n', ': ping\n\n'],
  ...['data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\r\n\r\n', 'data: not JSON\n\n', '\u0000'],
].map((text) => Buffer.from(text));

function replaced(random: Random, parts: Buffer[], change: (part: Buffer) => Buffer): Buffer[] {
  const chosen = random.below(parts.length);
  return parts.map((part, at) => (at === chosen ? change(part) : part));
}

function swapped(random: Random, parts: readonly Buffer[]): Buffer[] {
  const [a, b] = [random.below(parts.length), random.below(parts.length)];
  return parts.map((part, at) => (at === a ? parts[b] : at === b ? parts[a] : part) ?? part);
}

function inserted(random: Random, parts: Buffer[], part: Buffer): Buffer[] {
  return parts.toSpliced(random.below(parts.length + 1), 0, part);
}

function flipped(random: Random, part: Buffer): Buffer {
  if (part.length === 0) return part;
  const copy = Buffer.from(part);
  const at = random.below(copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
  return copy;
}

export function noise(random: Random, max: number): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(max) }, () => random.below(256)));
}

/** Replaces or removes one value of the JSON inside. */
function withOtherValue(random: Random, part: Buffer): Buffer {
  const frame = frameOf(part);
  if (frame !== undefined) return framed(frame.headers, changedJson(random, frame.payload));
  const text = part.toString();
  const [, before = '', json = '', after = ''] = /^((?:event:.*\n)?data: ?)?(.*?)(\s*)$/s.exec(text) ?? [];
  return Buffer.from(before + changedJson(random, json) + after);
}

function changedJson(random: Random, json: string): string {
  const value = parseJson(json);
  const locations = holdersIn(value);
  if (locations.length === 0) return json;
  const { holder, key } = random.pick(locations);
  if (random.chance(0.2)) Reflect.deleteProperty(holder, key);
  else Reflect.set(holder, key, random.pick(oddValues));
  return JSON.stringify(value);
}

const oddValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, 2 ** 53, '', 'x', '\ud800', 'STOP', 'tool_use', 'text', [], {}, [null], [[]]],
  ...[{ type: 'text' }, { a: 1 }, 'y'.repeat(3000), '{"a":1}', '__proto__', { toString: 1 }, { length: -1 }],
];

interface ContainedValue {
  readonly holder: object;
  readonly key: string;
}

function holdersIn(value: unknown): readonly ContainedValue[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...holdersIn(inner)]);
}

interface FrameParts {
  readonly headers: Buffer;
  readonly payload: string;
}

const frameBytesMin = 16;

/** Parses a frame of the binary event stream; undefined for anything else. */
function frameOf(part: Buffer): FrameParts | undefined {
  if (part.length < frameBytesMin || part.readUInt32BE(0) !== part.length) return undefined;
  const start = 12 + part.readUInt32BE(4);
  return { headers: part.subarray(12, start), payload: part.toString('utf8', start, part.length - 4) };
}

function framed(headers: Buffer, payload: string): Buffer {
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(headers.length + body.length + frameBytesMin, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([head, checksum(head)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
