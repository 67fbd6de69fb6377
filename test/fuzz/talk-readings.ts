// What a request in the form of chat completions contains of a random conversation.
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { unwrapOpaque } from '../../proxy/conversation/opaque.ts';
import { effortOfBudget } from '../../proxy/conversation/options.ts';
import type { Talk, TalkCall, TalkOptions, TalkPart, TalkTool, TalkTurn, Thought } from './random-talks.ts';
import { addTurn } from './talk-turns.ts';

/** @param chat SDK type `ChatCompletionCreateParams` with the gateway's extensions */
export function talkIn(chat: JsonObject): Talk {
  const turns: TalkTurn[] = [];
  const system: string[] = [];
  for (const message of objectsOf(chat.messages)) {
    const turn = turnOf(message, turns);
    if (turn === undefined) continue;
    if (turn.role === 'system' && turns.length === 0) system.push(...turn.texts);
    else addTurn(turns, turn);
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
      const made = objectsOf(message.images).flatMap((one) => partsOf([one]));
      const images = [...parts, ...made].flatMap((part) => (part.kind === 'image' ? [part.data] : []));
      return { role: 'assistant', thoughts, texts, images, calls };
    }
    case 'tool': {
      const id = String(message.tool_call_id);
      const images = parts.flatMap((part) => (part.kind === 'image' ? [part.data] : []));
      return { role: 'tool', results: [{ id, name: nameOf(id, before), text: texts.join(''), images }] };
    }
    default:
      return { role: 'user', parts, isMarked: isMarked(message.content) };
  }
}

function isMarked(content: unknown): boolean {
  return objectsOf(content).some((part) => isObject(part.cache_control) || isObject(part.prompt_cache_breakpoint));
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

function toolOf({ name, description, parameters, strict }: JsonObject): TalkTool {
  return {
    name: String(name),
    description: typeof description === 'string' ? description : undefined,
    parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    isStrict: strict === true,
  };
}

function optionsIn(chat: JsonObject): TalkOptions {
  const { response_format: format, tool_choice: choice, thinking, stop } = chat;
  const budget = isObject(thinking) ? plainNumber(thinking.budget_tokens) : undefined;
  const effort = chat.reasoning_effort ?? (budget === undefined ? undefined : effortOfBudget(budget));
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
    isJson: isObject(format) && format.type === 'json_object',
    choice: named ?? (choice === 'auto' || choice === 'none' || choice === 'required' ? choice : undefined),
    isSerial: chat.parallel_tool_calls === false,
  };
}

/** Without the turns that the gateway adds where a vendor wants another role in between. */
export function withoutPlaceholders(talk: Talk): Talk {
  const turns: TalkTurn[] = [];
  for (const turn of talk.turns) if (!isPlaceholder(turn)) addTurn(turns, turn);
  return { ...talk, turns };
}

function isPlaceholder(turn: TalkTurn): boolean {
  if (turn.role === 'assistant') return turn.calls.length === 0 && turn.texts.join('') === '.';
  return turn.role === 'user' && turn.parts.every((part) => part.kind === 'text' && part.text === '.');
}
