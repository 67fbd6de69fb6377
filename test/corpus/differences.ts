// Compares two JSON bodies by their meaning: equivalent spellings are first made equal.
import { isObject, type JsonObject } from '../../common/json.ts';

/** Path → value as JSON. */
export type Flat = ReadonlyMap<string, string>;

export interface FoundDifference {
  readonly path: string;
  /** Undefined if absent. */
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

export function differences(ours: Flat, theirs: Flat): FoundDifference[] {
  if (ours.has('(refused)') && theirs.has('(refused)')) return [];
  const paths = new Set([...ours.keys(), ...theirs.keys()]);
  return [...paths].flatMap((path) => {
    const [a, b] = [ours.get(path), theirs.get(path)];
    return a === b ? [] : [{ path, ours: a, theirs: b }];
  });
}

export function flattened(body: unknown): Map<string, string> {
  const flat = new Map<string, string>();
  add(flat, '', plain(body));
  return flat;
}

function add(flat: Map<string, string>, path: string, value: unknown): void {
  if (Array.isArray(value)) for (const [at, one] of value.entries()) add(flat, `${path}/${at}`, one);
  else if (isObject(value)) for (const [name, one] of Object.entries(value)) add(flat, `${path}/${name}`, one);
  else flat.set(path, JSON.stringify(value));
}

/** Normalizes a body: names in one spelling, texts as parts, adjacent texts joined, empty values removed. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return joined(value.map(plain));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const key = sameAs.get(snake) ?? snake;
    if (unheeded.has(key) || isNothing(one)) return [];
    const stated = plain(textual(key, one));
    return isNothing(stated) || (key === 'type' && stated === 'custom') ? [] : [[key, stated] as const];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Two names of the same field at one vendor. */
const sameAs: ReadonlyMap<string, string> = new Map([
  ['parameters_json_schema', 'parameters'],
  ['response_json_schema', 'response_schema'],
  ['max_completion_tokens', 'max_tokens'],
]);

/** Fields that either side makes up, or that do not depend on the request. */
const unheeded = new Set([
  'model',
  'stream',
  'id',
  'tool_use_id',
  'tool_call_id',
  'created',
  'object',
  'name_of_document',
]);

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A text becomes a text part, a schema in a text becomes the schema, and the result of a tool becomes its text. */
function textual(key: string, value: unknown): unknown {
  if (key === 'response' && isObject(value)) return value.output ?? textsOf(value.content);
  if (typeof value !== 'string') return value;
  if (key === 'schema') return JSON.parse(value);
  return key === 'content' || key === 'system' ? [{ type: 'text', text: value }] : value;
}

function textsOf(parts: unknown): unknown {
  return Array.isArray(parts) ? parts.map((part) => (isObject(part) ? part.text : '')).join('') : parts;
}

/** A text in two parts means the same as in one. */
function joined(list: readonly unknown[]): unknown[] {
  const all: unknown[] = [];
  for (const one of list) {
    const last = all.at(-1);
    if (isText(one) && isText(last)) all[all.length - 1] = { ...last, text: `${last.text}\n${one.text}`.trim() };
    else if (!isNothing(one)) all.push(one);
  }
  return all;
}

interface TextPart extends JsonObject {
  readonly text: string;
}

function isText(value: unknown): value is TextPart {
  return (
    isObject(value) &&
    typeof value.text === 'string' &&
    Object.keys(value).every((key) => key === 'text' || key === 'type')
  );
}
