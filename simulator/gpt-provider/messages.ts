// The form of each message, and the order of tool calls and their results. Follows ChatCompletionMessageParam of the
// vendor's SDK and the refusals that its users quote.
import {
  anyObject,
  anything,
  arrayOf,
  type Check,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  picked,
  string,
  stringOr,
  tagged,
} from '../checks.ts';
import { badField } from './refusal.ts';

export interface Message extends Json {
  readonly role: string;
  readonly content?: unknown;
}

/** The text of a message, with its parts joined. Parts without text are skipped. */
export function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  if (!Array.isArray(message.content)) return '';
  return message.content.map((part: Json) => (typeof part.text === 'string' ? part.text : '')).join('');
}

/** The messages that a service accepts. Other services of the same models accept fewer. */
export interface ConversationForm {
  readonly roles: readonly ('system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function')[];
  /** The parts that a user's content may contain. */
  readonly userParts: readonly ('text' | 'image_url' | 'input_audio' | 'file')[];
  readonly customCalls: boolean;
  /** Whether a user's content may contain marks for the prompt cache. */
  readonly cacheBreakpoints: boolean;
}

export function conversation(form: ConversationForm): Check {
  const message = tagged('role', picked(rolesOf(form), form.roles));
  return (value, path) => {
    arrayOf(message, { min: 1 })(value, path);
    checkOrder(value as readonly Message[]);
  };
}

const name = string({ min: 1, max: 64, pattern: /^[^\s<|\\/>]+$/ });
const role = anything;

function rolesOf(form: ConversationForm) {
  const cacheable = form.cacheBreakpoints ? { prompt_cache_breakpoint: object({ mode: oneOf('explicit') }) } : {};
  const text = object({ type: anything, text: string() }, cacheable);
  const textParts = arrayOf(tagged('type', { text }), { min: 1 });
  const assistantParts = arrayOf(tagged('type', { text, refusal: refusalPart }), { min: 1 });
  const userParts = tagged('type', picked(userPartsOf(text, cacheable), form.userParts));
  return {
    system: object({ role, content: content(stringOr(textParts)) }, { name }),
    developer: object({ role, content: content(stringOr(textParts)) }, { name }),
    user: object({ role, content: content(stringOr(arrayOf(userParts, { min: 1 }))) }, { name }),
    assistant: assistantMessage(assistantParts, form.customCalls ? anyCall : functionCallOnly),
    tool: object({ role, content: content(stringOr(textParts)), tool_call_id: string({ min: 1 }) }, { name }),
    function: object({ role, content: nullable(string()), name }),
  };
}

function userPartsOf(text: Check, cacheable: Readonly<Record<string, Check>>) {
  return {
    text,
    image_url: object(
      { type: anything, image_url: object({ url: imageUrl }, { detail: oneOf('auto', 'low', 'high') }) },
      cacheable,
    ),
    input_audio: object({ type: anything, input_audio: audioPart }, cacheable),
    file: object(
      { type: anything, file: object({}, { file_id: string(), file_data: string(), filename: string() }) },
      cacheable,
    ),
  };
}

export const audioPart = object({ data: string(), format: oneOf('wav', 'mp3') });
const refusalPart = object({ type: anything, refusal: string() });

export const imageUrl: Check = (value, path) => {
  string()(value, path);
  if (/^(https?:\/\/|data:image\/[a-z0-9.+-]+;base64,)/i.test(value as string)) return;
  throw badField(path, `Invalid '${path}': expected a URL or a base64 data URL of an image.`, 'invalid_image_url');
};

const functionCall = object({ name: string({ min: 1 }), arguments: string() });
export const functionToolCall = object({ id: string({ min: 1 }), type: anything, function: functionCall });
const functionCallOnly = tagged('type', { function: functionToolCall });
const anyCall = tagged('type', {
  function: functionToolCall,
  custom: object({
    id: string({ min: 1 }),
    type: anything,
    custom: object({ name: string({ min: 1 }), input: string() }),
  }),
});

/** For null content the vendor has a different error, with a dot before the index. */
function content(check: Check): Check {
  return (value, path) => {
    if (value === null) throw nullContent(path);
    check(value, path);
  };
}

function nullContent(path: string) {
  return badField(path.replace('[', '.['), "Invalid value for 'content': expected a string, got null.");
}

function assistantMessage(parts: Check, call: Check): Check {
  const form = object(
    { role },
    {
      content: nullable(stringOr(parts)),
      name,
      refusal: nullable(string()),
      audio: nullable(object({ id: string() })),
      // The SDK's type of a request message lacks it, but the vendor's responses have it and callers send it back in
      // the history.
      annotations: arrayOf(anyObject),
      tool_calls: arrayOf(call, { min: 1, max: 128 }),
      function_call: nullable(functionCall),
    },
  );
  return (value, path) => {
    form(value, path);
    const { content: stated, refusal, audio, tool_calls, function_call } = value as Json;
    const given = [stated, refusal, audio, tool_calls, function_call];
    if (given.every((part) => part === null || part === undefined)) throw nullContent(`${path}.content`);
  };
}

export const messages = conversation({
  roles: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
  userParts: ['text', 'image_url', 'input_audio', 'file'],
  customCalls: true,
  cacheBreakpoints: true,
});

/**
 * Every call of an assistant message has its result in the tool messages directly after it, and every result has its
 * call.
 */
export function checkOrder(list: readonly Message[]): void {
  let open = new Set<string>();
  list.forEach((one, index) => {
    if (one.role === 'tool') {
      if (!open.delete(one.tool_call_id as string)) throw strayResult(index, open.size > 0);
      return;
    }
    if (open.size > 0) throw withoutResult(open, `messages.[${index}].role`);
    open = new Set(callIds(one));
  });
  if (open.size > 0) throw withoutResult(open, 'messages');
}

function callIds(one: Message): readonly string[] {
  if (one.role !== 'assistant' || !Array.isArray(one.tool_calls)) return [];
  return one.tool_calls.filter(isObject).map((call) => String(call.id));
}

function strayResult(index: number, callsAreOpen: boolean) {
  const message = callsAreOpen
    ? "Invalid parameter: 'tool_call_id' of a message with role 'tool' not found in 'tool_calls' of previous message."
    : "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return badField(callsAreOpen ? `messages.[${index}].tool_call_id` : `messages.[${index}].role`, message);
}

function withoutResult(ids: ReadonlySet<string>, param: string) {
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`;
  return badField(param, message);
}
