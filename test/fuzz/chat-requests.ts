// Random chat requests that are valid in the callers' format (SDK type `ChatCompletionCreateParams`, with the
// extensions that the gateway knows): all roles and parts, histories with calls and thoughts, tools, choices, formats,
// options, odd texts.
import type { JsonObject } from '../../common/json.ts';
import { withSignature } from '../../proxy/conversation/call-ids.ts';
import { signatureFor } from '../../simulator/assistant-provider/signature.ts';
import { issueSignature } from '../../simulator/search-provider/signature.ts';
import type { Random } from '../support/access/random.ts';
import { png } from '../support/png.ts';
import { anySchema, objectSchema } from './json-schemas.ts';

/** The features of a model that its callers have to know. */
export interface Abilities {
  readonly parts: readonly ('image' | 'audio' | 'file')[];
  readonly tools: boolean;
  readonly system: boolean;
  /** Options that its vendor accepts or its translator handles. */
  readonly options: readonly OptionName[];
  /** Types of `response_format` besides text. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  /** The extension `cache_control` of parts. */
  readonly cacheMarks: boolean;
  /** `tool_choice` of the type `allowed_tools`. */
  readonly allowedTools: boolean;
}

export function randomRequest(random: Random, abilities: Abilities): JsonObject {
  return new RequestMaker(random, abilities).request();
}

const optionMakers = {
  temperature: (random) => ({ temperature: random.pick([0, 0.3, 1, 1.7, 2]) }),
  top_p: (random) => ({ top_p: random.pick([0.01, 0.5, 0.97, 1]) }),
  top_k: () => ({ top_k: 40 }),
  limit: (random) => ({
    [random.pick(['max_tokens', 'max_completion_tokens'])]: random.pick([1, 5, 900, 2000]),
  }),
  stop: (random) => ({
    stop: random.pick<unknown>(['END', ['a', 'b'], [' simulated', '\n'], [' '], ['END', 'END'], null]),
  }),
  seed: (random) => ({ seed: random.pick([0, 7, -1, 2 ** 40]) }),
  penalties: () => ({ frequency_penalty: 0.5, presence_penalty: -0.5 }),
  logit_bias: () => ({ logit_bias: { '50256': -100 } }),
  n: (random) => ({ n: random.pick([1, 1, 2]) }),
  logprobs: (random) =>
    random.pick<JsonObject>([{ logprobs: true, top_logprobs: 2 }, { logprobs: true }, { logprobs: false }]),
  user: (random) => random.pick<JsonObject>([{ user: 'u-7' }, { user: 'ann@example.com' }, { user: 'ü' }]),
  safety_identifier: () => ({ safety_identifier: 'u-8' }),
  metadata: (random) => ({ metadata: { team: 'a b', note: 'für alle' }, store: random.chance(0.5) }),
  store: (random) => ({ store: random.chance(0.5) }),
  service_tier: (random) => ({ service_tier: random.pick(['auto', 'default', 'flex', 'priority']) }),
  effort: (random) => ({
    reasoning_effort: random.pick(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
  }),
  plainEffort: (random) => ({ reasoning_effort: random.pick(['low', 'medium', 'high']) }),
  thinking: (random) => ({
    thinking: random.pick([{ type: 'enabled', budget_tokens: 2000 }, { type: 'adaptive' }, { type: 'disabled' }]),
  }),
  verbosity: (random) => ({ verbosity: random.pick(['low', 'medium', 'high']) }),
  prediction: () => ({ prediction: { type: 'content', content: 'as before' } }),
  search: () => ({ web_search_options: { search_context_size: 'low' } }),
  modalities: () => ({ modalities: ['text'] }),
  prompt_cache_key: () => ({ prompt_cache_key: 'k' }),
  cache_control: () => ({ cache_control: { type: 'ephemeral' } }),
  nulls: () => ({ temperature: null, stop: null, seed: null, user: undefined }),
} as const satisfies Record<string, (random: Random) => JsonObject>;

export type OptionName = keyof typeof optionMakers;
export const everyOption = Object.keys(optionMakers) as readonly OptionName[];

const texts = [
  'Hello',
  'Boil two cups, as JSON.',
  'Grüße aus Köln 🫖',
  '日本語のテキスト',
  'a\u0000b\u001f"\\\n\r\t</script>',
  ' ',
  '',
  '\n\n',
  'trailing blanks  \n',
  '{"not":"a response"}',
  'data: [DONE]\n\n',
  '👩‍👩‍👧‍👦'.repeat(50),
] as const;
const pngUrl = `data:image/png;base64,${png}`;
const jpegUrl = `data:image/jpg;base64,${Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64')}`;
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

interface Tool {
  readonly name: string;
  readonly definition: JsonObject;
}

class RequestMaker {
  readonly #random: Random;
  readonly #abilities: Abilities;
  readonly #tools: readonly Tool[];
  #calls = 0;

  constructor(random: Random, abilities: Abilities) {
    this.#random = random;
    this.#abilities = abilities;
    const names = ['boil', 'stir_2', 'Get-Weather', 'json_tool_call', '9lives', 'x'.repeat(64)];
    const count = abilities.tools && random.chance(0.6) ? 1 + random.below(3) : 0;
    this.#tools = [...new Set(Array.from({ length: count }, () => random.pick(names)))].map((name) => this.#tool(name));
  }

  request(): JsonObject {
    const messages = this.#messages();
    const body: JsonObject = { messages, ...this.#toolFields(), ...this.#format() };
    // The GPT vendor requires the word JSON in a message when the response must be JSON.
    const last = messages.at(-1);
    if (body.response_format !== undefined && last !== undefined) last.content = 'As JSON.';
    for (const name of this.#abilities.options) {
      if (this.#random.chance(0.12)) Object.assign(body, optionMakers[name](this.#random));
    }
    return body;
  }

  #text(): string {
    return this.#random.pick(texts);
  }

  #messages(): readonly JsonObject[] {
    const random = this.#random;
    const messages: JsonObject[] = [];
    const hasSystem = this.#abilities.system;
    if (hasSystem && random.chance(0.4)) messages.push(this.#system());
    for (let turns = random.below(4); turns > 0; turns--) {
      if (turns > 1 || random.chance(0.9)) messages.push(this.#user());
      messages.push(...this.#assistant());
      if (hasSystem && random.chance(0.05)) messages.push(this.#system());
    }
    // A conversation ends with a user message or with results of calls.
    const endsWithResults = messages.at(-1)?.role === 'tool' && random.chance(0.5);
    if (!endsWithResults) messages.push({ role: 'user', content: 'Proceed.' });
    return messages;
  }

  #system(): JsonObject {
    const role = this.#random.pick(['system', 'developer']);
    const text = this.#text();
    return { role, content: this.#random.chance(0.7) ? text : [{ type: 'text', text }] };
  }

  #user(): JsonObject {
    if (this.#random.chance(0.6)) return { role: 'user', content: this.#text() };
    const count = 1 + this.#random.below(3);
    const content = Array.from({ length: count }, () => this.#part());
    return { role: 'user', content, ...(this.#random.chance(0.1) && { name: 'ann' }) };
  }

  #part(): JsonObject {
    const kind = this.#random.pick(['text', 'text', ...this.#abilities.parts]);
    switch (kind) {
      case 'image':
        return { type: 'image_url', image_url: this.#image() };
      case 'audio':
        return { type: 'input_audio', input_audio: { data: 'UklGRiQAAABXQVZF', format: 'wav' } };
      case 'file':
        return {
          type: 'file',
          file: { filename: 'a report (2).pdf', file_data: `data:application/pdf;base64,${pdf}` },
        };
      default:
        return this.#textPart();
    }
  }

  #textPart(): JsonObject {
    const marked = this.#abilities.cacheMarks && this.#random.chance(0.1);
    return { type: 'text', text: this.#text(), ...(marked && { cache_control: { type: 'ephemeral' } }) };
  }

  #image(): JsonObject {
    const url = this.#random.pick([pngUrl, jpegUrl, 'https://example.com/a.png?x=1']);
    return { url, ...(this.#random.chance(0.3) && { detail: this.#random.pick(['auto', 'low', 'high']) }) };
  }

  /** Returns an assistant message, followed by the results of its calls. */
  #assistant(): readonly JsonObject[] {
    const calls = this.#random.chance(0.4) ? this.#callList() : [];
    const text = this.#text();
    const message: JsonObject = {
      role: 'assistant',
      content: calls.length > 0 ? this.#random.pick([null, '', text]) : text,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(calls.length === 0 && this.#random.pick([{}, {}, { tool_calls: [] }, { tool_calls: null }])),
      ...this.#random.pick([{}, { refusal: null }, { annotations: [] }, { parsed: null }]),
      ...this.#foreignFields(),
    };
    const results = calls.map(({ id }) => this.#result(String(id)));
    return [message, ...(this.#random.chance(0.3) ? results.toReversed() : results)];
  }

  #foreignFields(): JsonObject {
    if (!this.#random.chance(0.3)) return {};
    const thinking = 'Hm, ü.';
    const signed = { type: 'thinking', thinking, signature: signatureFor(thinking, thinking) };
    return this.#random.pick<JsonObject>([
      { reasoning_content: thinking },
      { reasoning_content: thinking, thinking_blocks: [signed] },
      { thinking_blocks: [signed, signed] },
      { thinking_blocks: [{ type: 'thinking', thinking, signature: '' }, { type: 'odd' }] },
    ]);
  }

  #callList(): readonly JsonObject[] {
    if (this.#tools.length === 0) return [];
    return Array.from({ length: 1 + this.#random.below(3) }, () => {
      const args = this.#random.pick(['{}', '', '{"cups":2}', '{"ü":"🫖","n":[1,{"a":null}]}', 'not JSON']);
      const { name } = this.#random.pick(this.#tools);
      return { id: this.#callId(name), type: 'function', function: { name, arguments: args } };
    });
  }

  /** Returns a call id in the form of one of the vendors, signed where that vendor would sign it. */
  #callId(name: string): string {
    const number = ++this.#calls;
    const plain = [`call_${number}`, `toolu_01${number}`, `tooluse_A-${number}`, `sim00000${number % 10}`];
    return this.#random.pick([
      ...plain,
      withSignature(`fc-${number}`, issueSignature(number, name)),
      `functions.boil:${number}`,
      `chatcmpl-tool-${'0'.repeat(60)}${number}`,
    ]);
  }

  #result(id: string): JsonObject {
    const text = this.#random.pick(['done', '', '{"cups":2}', '[1,2]', 'ü 🫖']);
    const content = this.#random.chance(0.7) ? text : [{ type: 'text', text }];
    return { role: 'tool', tool_call_id: id, content };
  }

  #tool(name: string): Tool {
    const random = this.#random;
    const parameters = random.pick([
      () => objectSchema(random),
      () => objectSchema(random),
      () => undefined,
      () => ({ type: 'object', properties: {} }),
    ])();
    const definition = {
      name,
      ...(random.chance(0.7) && { description: random.pick(['Does it.', '']) }),
      ...(parameters && { parameters }),
      ...(random.chance(0.1) && { strict: random.chance(0.5) }),
    };
    return { name, definition };
  }

  #toolFields(): JsonObject {
    const random = this.#random;
    if (this.#tools.length === 0) return {};
    const tools = this.#tools.map(({ definition }) => ({ type: 'function', function: definition }));
    const choice = random.chance(0.5) ? this.#choice() : undefined;
    return {
      tools,
      ...(choice !== undefined && { tool_choice: choice }),
      ...(random.chance(0.2) && { parallel_tool_calls: random.chance(0.5) }),
    };
  }

  #choice(): unknown {
    const { name } = this.#random.pick(this.#tools);
    const named = { type: 'function', function: { name } };
    const mode = this.#random.pick(['auto', 'required']);
    const choices = ['auto', 'none', 'required', named];
    const allowed = { type: 'allowed_tools', allowed_tools: { mode, tools: [named] } };
    return this.#random.pick<unknown>([...choices, ...(this.#abilities.allowedTools ? [allowed] : [])]);
  }

  #format(): JsonObject {
    const random = this.#random;
    const { formats } = this.#abilities;
    if (formats.length === 0 || !random.chance(0.25)) return {};
    if (random.pick(formats) === 'json_object') return { response_format: { type: 'json_object' } };
    const schema = random.chance(0.9) ? objectSchema(random) : anySchema(random);
    const json_schema = { name: 'order', schema, ...(random.chance(0.3) && { description: 'An order.' }) };
    return { response_format: { type: 'json_schema', json_schema } };
  }
}
