// What may be written in several ways is compared in one: the order of system texts, joined and blank texts, ids of calls,
// a choice of the only tool, schemas of no fields.
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import type { Talk, TalkOptions, TalkPart, TalkTool, TalkTurn } from './random-talks.ts';
import { addTurn } from './talk-turns.ts';

/** The same conversation in one way of writing. */
export function plain({ system, turns, tools, options }: Talk): Talk {
  const { schema, choice, temperature } = options;
  return {
    system: joinedTexts(system),
    turns: withCountedIds(inOrder(turns).map(plainTurn)),
    tools: tools.map((tool) => ({ ...tool, parameters: plainParameters(tool.parameters, tool.isStrict) })),
    options: {
      ...options,
      // Vendors accept nothing beside the fields of a response, or want that stated.
      schema: schema && plainParameters(schema, true),
      choice: plainChoice(choice, tools),
      isSerial: options.isSerial && choice !== 'none',
      // The usual one.
      temperature: temperature === 1 ? undefined : temperature,
    },
  };
}

/** Between two turns of the model, some vendors want system texts last. */
function inOrder(turns: readonly TalkTurn[]): readonly TalkTurn[] {
  const ordered: TalkTurn[] = [];
  const waiting: TalkTurn[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') for (const one of waiting.splice(0)) addTurn(ordered, one);
    if (turn.role === 'system') waiting.push(turn);
    else addTurn(ordered, turn);
  }
  for (const one of waiting) addTurn(ordered, one);
  return ordered;
}

/** Some models want ids of their own form, and results in the order of their calls. */
function withCountedIds(turns: readonly TalkTurn[]): readonly TalkTurn[] {
  let count = 0;
  let ids = new Map<string, string>();
  return turns.map((turn) => {
    if (turn.role === 'assistant') {
      ids = new Map(turn.calls.map(({ id }) => [id, String(++count).padStart(3, '0')]));
      return { ...turn, calls: turn.calls.map((one) => ({ ...one, id: ids.get(one.id) ?? '' })) };
    }
    if (turn.role !== 'tool') return turn;
    const results = turn.results.map((one) => ({ ...one, id: ids.get(one.id) ?? '' }));
    return { ...turn, results: results.sort((one, other) => one.id.localeCompare(other.id)) };
  });
}

/** Some vendors have one text where others have several, and most refuse blank ones. */
function joinedTexts(texts: readonly string[]): readonly string[] {
  const all = texts.filter(isText);
  return all.length === 0 ? [] : [plainText(all.join('\n'))];
}

/** Blank texts between two others leave only line ends. */
function plainText(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, '\n').trim();
}

export function isText(text: string): boolean {
  return text.trim() !== '';
}

function plainTurn(turn: TalkTurn): TalkTurn {
  switch (turn.role) {
    case 'user':
      return { ...turn, parts: joinedParts(turn.parts) };
    case 'system':
      return { ...turn, texts: joinedTexts(turn.texts) };
    case 'assistant':
      return { ...turn, texts: joinedTexts(turn.texts.filter((text) => text !== onlyImage)) };
    case 'tool':
      return { ...turn, results: turn.results.map((one) => ({ ...one, text: one.text.replaceAll(pointer, '\n$1') })) };
  }
}

/** The gateway's words for a message that had images alone. */
const onlyImage = '[The image follows.]';

/** The gateway's words for a medium are a text of their own, or follow another one. */
const pointer = /\n?(\[The image follows)/g;

function joinedParts(parts: readonly TalkPart[]): readonly TalkPart[] {
  const all: TalkPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind === 'text' && !isText(part.text)) continue;
    if (part.kind === 'text' && last?.kind === 'text')
      all.splice(-1, 1, { ...last, text: `${last.text}\n${part.text}` });
    else all.push(part.kind === 'pdf' ? { ...part, name: plainName(part.name) } : part);
  }
  return all.map((part) => (part.kind === 'text' ? { ...part, text: plainText(part.text) } : part));
}

/** A vendor that demands names wants each of them once. A file without one is a document, or a file. */
function plainName(name: string): string {
  const once = name.replace(/ \d+$/, '');
  return once === 'document' || once === 'file' ? '' : once;
}

/** The model’s own choice is the usual one, and a choice among one tool names it. */
function plainChoice(choice: TalkOptions['choice'], tools: readonly TalkTool[]): TalkOptions['choice'] {
  if (choice === 'auto') return undefined;
  const [only, ...others] = tools;
  return choice === 'required' && only !== undefined && others.length === 0 ? { name: only.name } : choice;
}

/**
 * Of a function or of a response: its title says nothing, and whether more fields may come is the vendor's own. Without
 * fields, a function needs no schema at all.
 */
function plainParameters(schema: JsonObject, isStrict: boolean): JsonObject {
  const {
    title: _,
    additionalProperties: others,
    ...fields
  } = plainSchema(schema, isStrict ? ['additionalProperties'] : []);
  if (isObject(others)) return { ...fields, additionalProperties: others };
  // A vendor that wants each required field described leaves these out.
  const { type, description: __, required: ___, ...limits } = fields;
  return Object.keys(limits).length === 0 ? { type } : fields;
}

/** Without what says nothing: empty lists, a choice of one schema, other words for the same. @param left keywords that are left out */
function plainSchema(schema: JsonObject, left: readonly string[] = []): JsonObject {
  const { allOf, ...others } = schema;
  const [only, ...more] = objectsOf(allOf);
  if (only !== undefined && more.length === 0) return plainSchema({ ...others, ...only }, left);
  const entries = Object.entries(schema)
    .filter(
      ([name, value]) => !left.includes(name) && !(isEmpty(value) && (name === 'required' || name === 'properties')),
    )
    .map(([name, value]) => keyword(name, plainKeyword(name, value, left)));
  const { type, ...fields } = Object.fromEntries(entries);
  // The values say of which type they are.
  return type === undefined || fields.enum !== undefined ? fields : { type, ...fields };
}

function isEmpty(value: unknown): boolean {
  return (isObject(value) || Array.isArray(value)) && Object.keys(value).length === 0;
}

/** Keywords that some vendors have under another name. */
function keyword(name: string, value: unknown): readonly [string, unknown] {
  if (name === 'const') return ['enum', [value]];
  return [name === 'oneOf' ? 'anyOf' : name, value];
}

function plainKeyword(name: string, value: unknown, left: readonly string[]): unknown {
  const inner = (one: unknown) => (isObject(one) ? plainSchema(one, left) : one);
  if ((name === 'properties' || name === '$defs') && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
  }
  return Array.isArray(value) ? value.map(inner) : inner(value);
}

/** @throws Error that shows the first part that differs */
export function expectSameTalk(actual: Talk, expected: Talk, what: string): void {
  const difference = differenceOf(actual, expected, '');
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}

/** The innermost path that differs, with both values. */
function differenceOf(actual: unknown, expected: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  const [one, other] = [membersOf(actual), membersOf(expected)];
  const names = Object.keys(other).filter((name) => !isDeepStrictEqual(one[name], other[name]));
  const [name] = Object.keys(one).length === Object.keys(other).length ? names : [];
  if (name !== undefined && name in one) return differenceOf(one[name], other[name], `${path}.${name}`);
  return `${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}

function membersOf(value: unknown): JsonObject {
  if (Array.isArray(value)) return Object.fromEntries(value.map((one: unknown, index) => [String(index), one]));
  return isObject(value) ? value : {};
}
