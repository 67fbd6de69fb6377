// Splits the delta of a chunk (SDK type `ChatCompletionChunk.Choice.Delta`, and vendors' extensions) into texts that
// arrive in pieces, calls, and fields that are complete in one chunk.
import { plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';

export interface Delta {
  readonly pieces: readonly Piece[];
  readonly calls: readonly CallPiece[];
  /** The role, and empty fields. A choice begins with these. */
  readonly plain: JsonObject;
  /** Fields that are complete in this chunk. */
  readonly others: JsonObject | undefined;
}

/** A piece of a text that arrives in pieces. */
export interface Piece {
  /** Identifies the text within its choice. */
  readonly name: string;
  readonly text: string;
  /** Nothing in it can be replaced: a transcript accompanies sound with the same words. */
  readonly isFixed: boolean;
  /** Builds the fields of a delta that contain this text. */
  shape(text: string): JsonObject;
}

export interface CallPiece {
  readonly field: 'tool_calls' | 'function_call';
  readonly call: JsonObject;
}

export function readDelta(delta: JsonObject): Delta {
  const pieces: Piece[] = [];
  const calls: CallPiece[] = [];
  const plain: JsonObject = {};
  let others: JsonObject | undefined;
  for (const name of Object.keys(delta)) {
    const value = delta[name];
    const shape = texts.get(name);
    const called = callsOf(name, value);
    if (isRole(name, value) || saysNothing(value)) plain[name] = value;
    else if (shape !== undefined && typeof value === 'string')
      pieces.push({ name, text: value, isFixed: false, shape });
    else if (called !== undefined) for (const one of called) calls.push(one);
    else {
      const rest = partsNames.has(name) ? takeParts(value, [name], pieces) : value;
      if (rest !== undefined) others = { ...others, [name]: rest };
    }
  }
  return { pieces, calls, plain, others };
}

/** Null or empty, which is the same as absent. */
export function saysNothing(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === undefined;
  return value === null || Object.keys(value).length === 0;
}

export function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !saysNothing(value)));
}

/** Merges the delta fields of two texts of one choice. */
export function joined(one: JsonObject, other: JsonObject): JsonObject {
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = both[name];
    if (Array.isArray(known) && Array.isArray(value)) both[name] = [...known, ...value];
    else both[name] = isObject(known) && isObject(value) ? joined(known, value) : value;
  }
  return both;
}

/** Servers use one of two names for reasoning; some send both. */
const texts = new Map(
  ['content', 'reasoning_content', 'reasoning', 'refusal'].map((name) => [
    name,
    (text: string): JsonObject => ({ [name]: text }),
  ]),
);

/** Fields whose parts contain texts in pieces, if the fields are not text themselves. */
const partsNames = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks', 'audio'],
]);
const partTexts = new Set(['text', 'thinking', 'summary', 'transcript']);
/** Fields that identify a part and have no content of their own. */
const partMarks = new Set(['type', 'index', 'id', 'format']);
const depthMax = 4;

type Path = readonly (string | number)[];

/** @param pieces receives the texts of the parts @returns the remaining fields; undefined if there are none */
function takeParts(value: unknown, path: Path, pieces: Piece[]): unknown {
  if (path.length > depthMax) return value;
  if (Array.isArray(value)) {
    const rest = value.flatMap((part, at) => takeParts(part, [...path, numberOf(part, at)], pieces) ?? []);
    return rest.length === 0 ? undefined : rest;
  }
  if (!isObject(value)) return value;
  const marks: JsonObject = {};
  const rest: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    if (saysNothing(inner)) continue;
    if (partMarks.has(name)) marks[name] = inner;
    else if (partTexts.has(name) && typeof inner === 'string') pieces.push(partPiece([...path, name], marks, inner));
    else {
      const more = takeParts(inner, [...path, name], pieces);
      if (more !== undefined) rest[name] = more;
    }
  }
  return Object.keys(rest).length === 0 ? undefined : { ...marks, ...rest };
}

function partPiece(path: Path, marks: JsonObject, text: string): Piece {
  return {
    name: path.join('.'),
    text,
    isFixed: path.at(-1) === 'transcript',
    shape: (text) => {
      const [field = '', ...inner] = path;
      return { [field]: within(inner, marks, text) };
    },
  };
}

/** The text at the end of the path, beside the marks of its part. */
function within([step, ...more]: Path, marks: JsonObject, text: string): unknown {
  if (step === undefined) return text;
  if (typeof step !== 'string') return [within(more, marks, text)];
  return more.length === 0 ? { ...marks, [step]: text } : { [step]: within(more, marks, text) };
}

function numberOf(part: unknown, at: number): number {
  return (isObject(part) ? plainNumber(part.index) : undefined) ?? at;
}

function isRole(name: string, value: unknown): boolean {
  return name === 'role' && typeof value === 'string' && /^[a-z]{1,16}$/.test(value);
}

function callsOf(name: string, value: unknown): readonly CallPiece[] | undefined {
  if (name === 'function_call' && isObject(value)) return [{ field: name, call: value }];
  if (name !== 'tool_calls' || !Array.isArray(value)) return undefined;
  return value.filter(isObject).map((call) => ({ field: name, call }));
}
