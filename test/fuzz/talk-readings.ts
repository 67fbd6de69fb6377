// What a request in the form of chat completions contains of a random conversation, and what is left of it after the losses
// that the gateway has named. What is written in several ways is compared in one: a choice of the only tool, blank texts,
// schemas of no fields.
import { isDeepStrictEqual } from 'node:util';
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { mediaOfTool, pointerTo } from '../../proxy/conversation/moved-media.ts';
import { unwrapOpaque } from '../../proxy/conversation/opaque.ts';
import type { Talk, TalkCall, TalkOptions, TalkPart, TalkResult, TalkTool, TalkTurn, Thought } from './random-talks.ts';

/** @param chat SDK type `ChatCompletionCreateParams` with the gateway's extensions */
export function talkIn(chat: JsonObject): Talk {
  const turns: TalkTurn[] = [];
  const system: string[] = [];
  for (const message of objectsOf(chat.messages)) {
    const turn = turnOf(message, turns);
    if (turn === undefined) continue;
    if (turn.role === 'system' && turns.length === 0) system.push(...turn.texts);
    else add(turns, turn);
  }
  const tools = objectsOf(chat.tools).map(({ function: definition }) => toolOf(isObject(definition) ? definition : {}));
  return { system, turns, tools, options: optionsIn(chat) };
}

function turnOf(message: JsonObject, before: readonly TalkTurn[]): TalkTurn | undefined {
  const parts = partsOf(message.content);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', texts };
    case 'assistant': {
      const thoughts = objectsOf(message.thinking_blocks).map(thoughtOf);
      const calls = objectsOf(message.tool_calls).map(callOf);
      return { role: 'assistant', thoughts, texts, calls };
    }
    case 'tool': {
      const id = String(message.tool_call_id);
      const images = parts.flatMap((part) => (part.kind === 'image' ? [part.data] : []));
      return { role: 'tool', results: [{ id, name: nameOf(id, before), text: texts.join(''), images }] };
    }
    default:
      return { role: 'user', parts };
  }
}

/** Neighbours of one role are one turn. */
function add(turns: TalkTurn[], turn: TalkTurn): void {
  const last = turns.pop();
  if (last !== undefined && last.role !== turn.role) turns.push(last, turn);
  else turns.push(last === undefined ? turn : joined(last, turn));
}

function joined(one: TalkTurn, next: TalkTurn): TalkTurn {
  if (one.role === 'user' && next.role === 'user') return { ...one, parts: [...one.parts, ...next.parts] };
  if (one.role === 'system' && next.role === 'system') return { ...one, texts: [...one.texts, ...next.texts] };
  if (one.role === 'tool' && next.role === 'tool') return { ...one, results: [...one.results, ...next.results] };
  if (one.role !== 'assistant' || next.role !== 'assistant') throw new Error('turns of different roles');
  return {
    role: 'assistant',
    thoughts: [...one.thoughts, ...next.thoughts],
    texts: [...one.texts, ...next.texts],
    calls: [...one.calls, ...next.calls],
  };
}

function nameOf(id: string, turns: readonly TalkTurn[]): string {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  return calls.findLast((call) => call.id === id)?.name ?? '';
}

function partsOf(content: unknown): readonly TalkPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return objectsOf(content).map(({ type, text, image_url: image, file }): TalkPart => {
    if (type === 'image_url' && isObject(image)) return { kind: 'image', data: dataOf(image.url) };
    if (type !== 'file' || !isObject(file)) return { kind: 'text', text: String(text) };
    const name = typeof file.filename === 'string' ? file.filename.replace(/\.pdf$/, '') : '';
    return { kind: 'pdf', data: dataOf(file.file_data), name };
  });
}

function dataOf(url: unknown): string {
  return String(url).replace(/^data:[^,]*,/, '');
}

function thoughtOf({ thinking, signature }: JsonObject): Thought {
  const value = String(signature);
  return { text: String(thinking), signature: unwrapOpaque(value)?.value ?? value };
}

function callOf({ id, function: called }: JsonObject): TalkCall {
  const { name, arguments: args } = isObject(called) ? called : {};
  return { id: String(id), name: String(name), args: writeJson(parseExactJson(String(args))) };
}

function toolOf({ name, description, parameters }: JsonObject): TalkTool {
  return {
    name: String(name),
    description: typeof description === 'string' ? description : undefined,
    parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
  };
}

function optionsIn(chat: JsonObject): TalkOptions {
  const { response_format: format, tool_choice: choice, reasoning_effort: effort, stop } = chat;
  const json = isObject(format) ? format.json_schema : undefined;
  const named = isObject(choice) && isObject(choice.function) ? { name: String(choice.function.name) } : undefined;
  return {
    maxTokens: plainNumber(chat.max_completion_tokens ?? chat.max_tokens),
    temperature: plainNumber(chat.temperature),
    topP: plainNumber(chat.top_p),
    topK: plainNumber(chat.top_k),
    stop: stop === undefined ? undefined : [stop].flat().map(String),
    effort: effort === 'low' || effort === 'medium' || effort === 'high' ? effort : undefined,
    schema: isObject(json) && isObject(json.schema) ? json.schema : undefined,
    choice: named ?? (choice === 'auto' || choice === 'none' || choice === 'required' ? choice : undefined),
    isSerial: chat.parallel_tool_calls === false,
  };
}

/** The same conversation in one way of writing. */
export function plain({ system, turns, tools, options }: Talk): Talk {
  const { schema, choice, temperature } = options;
  return {
    system: joinedTexts(system),
    turns: turns.map(plainTurn),
    tools: tools.map((tool) => ({ ...tool, parameters: plainParameters(tool.parameters) })),
    options: {
      ...options,
      // Vendors accept nothing beside the fields of a response, or want that stated.
      schema: schema && plainParameters(plainSchema(schema, ['additionalProperties'])),
      choice: plainChoice(choice, tools),
      isSerial: options.isSerial && choice !== 'none',
      // The usual one.
      temperature: temperature === 1 ? undefined : temperature,
    },
  };
}

/** Some vendors have one text where others have several, and most refuse blank ones. */
function joinedTexts(texts: readonly string[]): readonly string[] {
  const all = texts.filter(isText);
  return all.length === 0 ? [] : [all.join('\n')];
}

function isText(text: string): boolean {
  return text.trim() !== '';
}

function plainTurn(turn: TalkTurn): TalkTurn {
  switch (turn.role) {
    case 'user':
      return { ...turn, parts: joinedParts(turn.parts) };
    case 'system':
    case 'assistant':
      return { ...turn, texts: joinedTexts(turn.texts) };
    case 'tool':
      return { ...turn, results: turn.results.map((one) => ({ ...one, text: one.text.replaceAll(pointer, '\n$1') })) };
  }
}

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
  return all;
}

/** The vendor that demands names wants each of them once. */
function plainName(name: string): string {
  const once = name.replace(/ \d+$/, '');
  return once === 'document' ? '' : once;
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
function plainParameters(schema: JsonObject): JsonObject {
  const { title: _, additionalProperties: others, ...fields } = plainSchema(schema);
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

/** Without the turns that the gateway adds where a vendor wants another role in between. */
export function withoutPlaceholders(talk: Talk): Talk {
  const turns: TalkTurn[] = [];
  for (const turn of talk.turns) if (!isPlaceholder(turn)) add(turns, turn);
  return { ...talk, turns };
}

function isPlaceholder(turn: TalkTurn): boolean {
  if (turn.role === 'assistant') return turn.calls.length === 0 && turn.texts.join('') === '.';
  return turn.role === 'user' && turn.parts.every((part) => part.kind === 'text' && part.text === '.');
}

/** What the gateway reported of a translation, under the names in chat completions. */
export interface ReportedLosses {
  isDropped(field: string): boolean;
  isEmulated(field: string): boolean;
}

/** What the other format must contain. @param actual decides where a loss leaves several possibilities */
export function afterLosses(talk: Talk, losses: ReportedLosses, actual: Talk): Talk {
  const turns = talk.turns.flatMap((turn) => turnsAfter(turn, losses, actual));
  const merged: TalkTurn[] = [];
  for (const turn of turns) add(merged, turn);
  return {
    ...talk,
    turns: merged,
    tools: toolsAfter(talk, losses, actual),
    options: optionsAfter(talk, losses, actual),
  };
}

function turnsAfter(turn: TalkTurn, losses: ReportedLosses, actual: Talk): readonly TalkTurn[] {
  switch (turn.role) {
    case 'user':
      if (!losses.isDropped('messages.file.filename')) return [turn];
      return [{ ...turn, parts: turn.parts.map((part) => (part.kind === 'pdf' ? { ...part, name: '' } : part)) }];
    case 'system':
      return losses.isEmulated('messages.role') ? [{ role: 'user', parts: turn.texts.map(asNote) }] : [turn];
    case 'assistant':
      return [losses.isDropped('messages.thinking_blocks') ? { ...turn, thoughts: [] } : turn];
    case 'tool':
      return losses.isEmulated('messages.content') ? movedImages(turn.results, actual) : [turn];
  }
}

function asNote(text: string): TalkPart {
  return { kind: 'text', text: `<system_message>\n${text}\n</system_message>` };
}

/** Formats of chat completions name no tool before its images. */
function movedImages(results: readonly TalkResult[], actual: Talk): readonly TalkTurn[] {
  const isNamed = (name: string) => JSON.stringify(actual.turns).includes(JSON.stringify(mediaOfTool(name)));
  const parts = results.flatMap(({ name, images }): readonly TalkPart[] => {
    if (images.length === 0) return [];
    const text = isNamed(name) ? mediaOfTool(name) : mediaOfTool();
    return [{ kind: 'text', text }, ...images.map((data) => ({ kind: 'image', data }) as const)];
  });
  const texts = results.map((result) => ({
    ...result,
    ...{ text: result.text + result.images.map(() => pointerTo('image')).join(''), images: [] },
  }));
  return [{ role: 'tool', results: texts }, ...(parts.length === 0 ? [] : [{ role: 'user', parts } as const])];
}

function toolsAfter({ tools, options }: Talk, losses: ReportedLosses, actual: Talk): readonly TalkTool[] {
  // Tools that may not be called need not be offered.
  if (options.choice === 'none' && actual.tools.length === 0) return [];
  if (!losses.isEmulated('tools.parameters') && !losses.isDropped('tools.parameters')) return tools;
  return tools.map((tool, index) => ({ ...tool, parameters: actual.tools[index]?.parameters ?? {} }));
}

/** Names in chat completions. */
const optionNames: Readonly<Record<keyof TalkOptions, readonly string[]>> = {
  maxTokens: ['max_completion_tokens', 'max_tokens'],
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  stop: ['stop'],
  effort: ['reasoning_effort', 'thinking'],
  schema: ['response_format.schema'],
  choice: ['tool_choice'],
  isSerial: ['parallel_tool_calls'],
};

function optionsAfter({ options, tools }: Talk, losses: ReportedLosses, actual: Talk): TalkOptions {
  const names = Object.keys(options) as (keyof TalkOptions)[];
  const lost = names.filter((name) =>
    optionNames[name].some((field) => losses.isDropped(field) || losses.isEmulated(field)),
  );
  // The gateway chooses a limit where a vendor needs one, and nothing is called without tools.
  const free = options.maxTokens === undefined ? (['maxTokens'] as const) : [];
  const idle =
    options.choice === 'none' && tools.length > 0 && actual.tools.length === 0 ? (['choice', 'isSerial'] as const) : [];
  const fields = [...lost, ...free, ...idle].map((name) => [name, actual.options[name]] as const);
  return { ...options, ...(Object.fromEntries(fields) as Partial<TalkOptions>) };
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
