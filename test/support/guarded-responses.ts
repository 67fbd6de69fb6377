// Random responses with planted texts for guards to find, whole and as the bytes of a stream. Planted texts use an
// alphabet that occurs nowhere else, one for each action, so that a single letter shows a leak.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Random } from './access/random.ts';
import { type Action, chunkHead, eventOf } from './guarded-streams.ts';

export const alphabets: Readonly<Record<Action, string>> = {
  block: 'αβγδεζηθικλμνξοπρστυφχψω',
  redact: 'бвгджзиклмнптуфцчшщъыьэюя',
  observe: 'աբգդեզէըթժիլխծկհձղճմյնշ',
};

/** Marks around planted text, by which a matcher finds it. */
export const marks: Readonly<Record<Action, readonly [open: string, close: string]>> = {
  block: ['‹', '›'],
  redact: ['«', '»'],
  observe: ['“', '”'],
};

/** Phrases that a matcher knows. */
export const phrases: Readonly<Record<Action, readonly string[]>> = {
  block: ['αλφαβητο', 'κρυφο μυστικο', 'ωμεγα'],
  redact: ['шифр и ключ', 'тайнопись', 'июнь'],
  observe: ['գաղտնի բառ', 'ծածկագիր'],
};

/** Letters in a row that a pattern finds. */
export const runMin = 12;
export const runMax = 60;

const fillers = [
  'tea',
  'the',
  ' ',
  ' ',
  '  ',
  ', ',
  '.',
  '\n',
  '"',
  '\\',
  '\t',
  'É',
  'e\u0301',
  '\u200d',
  '😀',
  '👩‍👩‍👧',
  '漢字',
  '',
  '{',
  '<',
  '/',
];

export interface RandomResponse {
  /** `chat.completion` */
  readonly body: JsonObject;
  /** The same as a stream. */
  readonly bytes: Buffer;
}

/** Paths of texts in a message and a delta that no table names; a number is the index of a part of a list. */
export const unknownPaths = {
  thinking: ['thinking'],
  reasoning_text: ['reasoning_text'],
  blocks: ['thinking_blocks_v2', 1, 'note'],
  deep: ['provider_fields', 'parts', 0, 'inner', 'text'],
} as const satisfies Readonly<Record<string, readonly (string | number)[]>>;

export type UnknownPath = keyof typeof unknownPaths;

/** An object with a text at a path. */
function at([step, ...more]: readonly (string | number)[], text: string): unknown {
  if (step === undefined) return text;
  const inner = at(more, text);
  return typeof step === 'number' ? [{ index: step, ...(inner as object) }] : { [step]: inner };
}

/** The text at a path; in a list, of the part with this index. */
export function textAt(value: unknown, [step, ...more]: readonly (string | number)[]): string {
  if (step === undefined) return typeof value === 'string' ? value : '';
  if (typeof step === 'number') {
    const parts: readonly unknown[] = Array.isArray(value) ? value : [];
    return parts.map((part) => (isObject(part) && part.index === step ? textAt(part, more) : '')).join('');
  }
  return isObject(value) ? textAt(value[step], more) : '';
}

interface Choice {
  readonly texts: Readonly<Record<string, string>>;
  readonly unknown: Readonly<Partial<Record<UnknownPath, string>>>;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
}

/** @param actions actions whose matches are planted @param window length of the longest match */
export function randomResponse(random: Random, actions: readonly Action[], window: number): RandomResponse {
  const text = () => randomText(random, actions, window);
  const choices = Array.from({ length: 1 + random.below(3) }, () => ({
    ...randomChoice(random, text, () => randomArguments(random, text)),
    finish: 'stop',
  }));
  return { body: completionOf(choices), bytes: streamOf(random, choices) };
}

/**
 * A response that clients of every format can read: one choice, a finish reason that fits its calls, and arguments that
 * are JSON or empty. What a client makes of others is its own affair.
 */
export function randomReadable(random: Random, actions: readonly Action[], window: number): RandomResponse {
  const text = () => randomText(random, actions, window);
  const args = () => (random.chance(0.1) ? '' : jsonArguments(random, text));
  const choice = randomChoice(random, text, args);
  const finish = random.chance(0.2) ? random.pick(['length', 'content_filter']) : usualFinish(choice);
  const choices = [{ ...choice, finish }];
  return { body: completionOf(choices), bytes: streamOf(random, choices) };
}

function usualFinish({ calls }: Pick<Choice, 'calls'>): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function randomChoice(random: Random, text: () => string, args: () => string): Omit<Choice, 'finish'> {
  const spoken = random.chance(0.9) ? { content: text() } : { refusal: text() };
  const texts = random.chance(0.5) ? { reasoning_content: text(), ...spoken } : spoken;
  const calls = Array.from({ length: random.chance(0.5) ? 0 : random.below(4) }, (_, at) => ({
    ...{ id: `call_${at}`, name: `tool_${at}`, arguments: args() },
  }));
  const names = (Object.keys(unknownPaths) as UnknownPath[]).filter(() => random.chance(0.3));
  const unknown = Object.fromEntries(names.map((name) => [name, text()]));
  return { texts, unknown, calls };
}

function randomText(random: Random, actions: readonly Action[], window: number): string {
  let text = '';
  for (let parts = random.below(30); parts > 0; parts--) {
    text += random.chance(0.06) ? ` ${planted(random, random.pick(actions), window)} ` : random.pick(fillers);
    if (random.chance(0.02)) text += 'word '.repeat(random.below(100));
  }
  return text;
}

function planted(random: Random, action: Action, window: number): string {
  const letters = (count: number) => Array.from({ length: count }, () => random.pick([...alphabets[action]])).join('');
  const kind = random.below(3);
  if (kind === 0) return random.pick(phrases[action]);
  if (kind === 1) return letters(runMin + random.below(runMax - runMin));
  const [open, close] = marks[action];
  // Up to the longest length that fits.
  const length = random.chance(0.3) ? window - 2 - random.below(3) : random.below(window - 1);
  return open + letters(Math.max(0, length)) + close;
}

function randomArguments(random: Random, text: () => string): string {
  return random.chance(0.15) ? text() : jsonArguments(random, text);
}

function jsonArguments(random: Random, text: () => string): string {
  const value = {
    to: text(),
    many: [text(), { deep: text() }],
    count: 7,
    ...(random.chance(0.2) && { none: null }),
  };
  return JSON.stringify(value, undefined, random.below(2));
}

function completionOf(choices: readonly Choice[]): JsonObject {
  return {
    ...chunkHead,
    object: 'chat.completion',
    choices: choices.map(({ texts, unknown, calls, finish }, index) => ({
      index,
      message: {
        role: 'assistant',
        content: null,
        ...texts,
        ...Object.assign({}, ...unknownOf(unknown).map(([path, text]) => at(path, text))),
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
        }),
      },
      finish_reason: finish,
    })),
  };
}

/** Choices interleaved, texts of one choice interleaved, all in pieces of any size. */
function streamOf(random: Random, choices: readonly Choice[]): Buffer {
  const queues = choices.map((choice, index) => deltasOf(random, choice).map((delta) => chunkOf(index, delta)));
  for (const [index, queue] of queues.entries()) queue.push(chunkOf(index, {}, choices[index]?.finish));
  let stream = '';
  for (const chunk of merged(random, queues)) {
    if (random.chance(0.03)) stream += ': αбա\n\n';
    stream += random.chance(0.1) ? eventOf(chunk).replace('data: ', 'data:').replaceAll('\n', '\r\n') : eventOf(chunk);
  }
  return Buffer.from(`${stream}data: [DONE]\n\n`);
}

function chunkOf(index: number, delta: JsonObject, finish: string | null = null): JsonObject {
  return { ...chunkHead, choices: [{ index, delta, finish_reason: finish }] };
}

function unknownOf(unknown: Choice['unknown']) {
  return Object.entries(unknown).map(
    ([name, text]) => [unknownPaths[name as UnknownPath] as readonly (string | number)[], text] as const,
  );
}

function deltasOf(random: Random, { texts, unknown, calls }: Choice): JsonObject[] {
  const known = Object.entries(texts).map(([name, text]) => pieces(random, text).map((piece) => ({ [name]: piece })));
  const others = unknownOf(unknown).map(([path, text]) =>
    pieces(random, text).map((piece) => at(path, piece) as JsonObject),
  );
  const stated: readonly (readonly JsonObject[])[] = [...known, ...others];
  const called = calls.flatMap(({ id, name, arguments: args }, index) => [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...pieces(random, args).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  const deltas = merged<JsonObject>(random, random.chance(0.5) ? [stated.flat(), called] : [...stated, called]);
  return [{ role: 'assistant', content: '' }, ...deltas];
}

/** Each queue in order, the queues in any order. */
function merged<T>(random: Random, queues: readonly (readonly T[])[]): T[] {
  const rest = queues.map((queue) => [...queue]).filter((queue) => queue.length > 0);
  const all: T[] = [];
  while (rest.length > 0) {
    const at = random.below(rest.length);
    const queue = rest[at] ?? [];
    // In runs, as models generate, or one by one.
    for (let count = 1 + random.below(8); count > 0 && queue.length > 0; count--) all.push(...queue.splice(0, 1));
    if (queue.length === 0) rest.splice(at, 1);
  }
  return all;
}

/** Cut at UTF-16 units, so also within surrogate pairs. */
function pieces(random: Random, text: string): string[] {
  const sizeMax = random.pick([1, 3, 8, 40, 2000]);
  const cut: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + random.below(sizeMax);
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
}

export function cutBytes(random: Random, bytes: Buffer): Buffer[] {
  const sizeMax = random.pick([1, 5, 60, 500, 20_000]);
  const cut: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(sizeMax);
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}
