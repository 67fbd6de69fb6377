// The delta of a chunk taken apart (SDK type `ChatCompletionChunk.Choice.Delta`, and what vendors add to it): texts that come in
// pieces, calls, and what comes whole.
import { plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';

export interface Delta {
  readonly pieces: readonly Piece[];
  readonly calls: readonly CallPiece[];
  /** The role, and fields that hold nothing: what a choice begins with. */
  readonly plain: JsonObject;
  /** Fields that come whole. */
  readonly others: JsonObject | undefined;
}

/** Of a text that comes in pieces. */
export interface Piece {
  /** Names the text within its choice. */
  readonly name: string;
  readonly text: string;
  /** Nothing can be put in its place: the sound beside a transcript says the same. */
  readonly isFixed: boolean;
  /** The fields of a delta that say such a text. */
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

/** Null, or empty: the same as if the field were left out. */
export function saysNothing(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === undefined;
  return value === null || Object.keys(value).length === 0;
}

export function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !saysNothing(value)));
}

/** Fields that say two texts of one choice, together. */
export function joined(one: JsonObject, other: JsonObject): JsonObject {
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = both[name];
    if (Array.isArray(known) && Array.isArray(value)) both[name] = [...known, ...value];
    else both[name] = isObject(known) && isObject(value) ? joined(known, value) : value;
  }
  return both;
}

/** Servers name reasoning in one of two ways; some send both. */
const texts = new Map(
  ['content', 'reasoning_content', 'reasoning', 'refusal'].map((name) => [
    name,
    (text: string): JsonObject => ({ [name]: text }),
  ]),
);

/** Fields in whose parts texts come piece by piece, where they are no text themselves. */
const partsNames = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks', 'audio'],
]);
const partTexts = new Set(['text', 'thinking', 'summary', 'transcript']);
/** Says which part it is of, and nothing by itself. */
const partMarks = new Set(['type', 'index', 'id', 'format']);
const depthMax = 4;

type Path = readonly (string | number)[];

/** @param pieces takes the texts of the parts @returns what else there is; undefined for nothing */
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
    else if (partTexts.has(name) && typeof inner === 'string')
      pieces.push(partPiece([...path, name], marks, inner));
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

/** The text at the path's end, beside its part's marks. */
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
