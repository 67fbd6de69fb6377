// Models that are not GPT: the parameters that each make accepts, its responses and refusals. From quoted errors of the
// service and of the model servers behind it. Most rules come from each make's conversation template.
import { boolean, type Check, decimal, integer, isObject, type Json, object, picked } from '../checks.ts';
import { chatParameters } from '../gpt-provider/parameters.ts';
import type { ChatRequest } from '../gpt-provider/request.ts';
import { badRequest, notSupported } from './refusal.ts';

export interface Make {
  readonly images: boolean;
  readonly tools: boolean;
  /** Response formats besides text. */
  readonly formats: readonly string[];
  /** User and assistant must alternate, after at most one system message. */
  readonly alternating: boolean;
  /** Tool call ids must be nine letters or digits, and the assistant must follow tool results. */
  readonly strictCalls: boolean;
  /** Where thinking appears: nowhere, at the beginning of the text, or in a field. */
  readonly thinks: 'hidden' | 'inline' | 'field';
  /** The last choice of a stream always has the usage, also without a request for it. */
  readonly alwaysReportsUsage: boolean;
  /** Accepted parameters that the service itself does not have. */
  readonly extras: Readonly<Record<string, Check>>;
}

/** @throws StudioRefusal */
export function checkMake(request: ChatRequest, make: Make): void {
  checkAbilities(request, make);
  for (const [index, { role }] of request.messages.entries()) {
    if (role !== 'developer') continue;
    throw notSupported(['body', 'messages', index, 'role'], role);
  }
  if (make.alternating) checkTurns(request);
  if (make.strictCalls) checkCalls(request);
}

function checkAbilities({ body, messages, model }: ChatRequest, make: Make): void {
  if (body.tools !== undefined && !make.tools) throw notSupported(['body', 'tools'], body.tools);
  const type = isObject(body.response_format) ? String(body.response_format.type) : 'text';
  if (type !== 'text' && !make.formats.includes(type)) throw notSupported(['body', 'response_format'], type);
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []));
  if (make.images || parts.every((part) => part.type === 'text')) return;
  throw badRequest(`${model.name} is not a multimodal model`);
}

function checkTurns({ messages }: ChatRequest): void {
  const turns = messages.map(({ role }) => role);
  if (turns[0] === 'system') turns.shift();
  // The results of several calls are one turn in several messages.
  const merged = turns.filter((role, at) => role !== 'tool' || turns[at - 1] !== 'tool');
  for (const [at, role] of merged.entries()) {
    const before = at === 0 ? 'system' : merged[at - 1];
    const follows =
      role === 'assistant' ? before === 'user' || before === 'tool' : role !== 'system' && role !== before;
    if (follows) continue;
    throw badRequest(
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    );
  }
}

function checkCalls({ messages }: ChatRequest): void {
  for (const [index, { role, tool_calls: calls }] of messages.entries()) {
    if (role === 'user' && messages[index - 1]?.role === 'tool') {
      throw badRequest("Unexpected role 'user' after role 'tool'");
    }
    for (const { id } of (calls ?? []) as readonly Json[]) {
      if (/^[a-zA-Z0-9]{9}$/.test(String(id))) continue;
      throw badRequest(`Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`);
    }
  }
  if (messages.at(-1)?.role === 'assistant') {
    throw badRequest('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant');
  }
}

const serverExtras: Make['extras'] = {
  ...picked(chatParameters, [
    'logit_bias',
    'logprobs',
    'n',
    'parallel_tool_calls',
    'stream_options',
    'top_logprobs',
    'user',
  ]),
  min_p: decimal(0, 1),
  repetition_penalty: decimal(0, 2),
  top_k: integer(-1),
};

const plain: Make = {
  images: false,
  tools: true,
  formats: ['json_object', 'json_schema'],
  alternating: false,
  strictCalls: false,
  thinks: 'hidden',
  alwaysReportsUsage: false,
  extras: serverExtras,
};
const llama: Make = { ...plain, alternating: true };
const thinking: Make = { ...plain, tools: false, formats: [] };

export const makes = {
  deepseek: plain,
  deepseekInline: { ...thinking, thinks: 'inline' },
  deepseekField: { ...thinking, thinks: 'field' },
  grok: { ...plain, images: true },
  llama,
  llamaVision: { ...llama, images: true },
  mistral: {
    ...plain,
    alternating: true,
    strictCalls: true,
    alwaysReportsUsage: true,
    extras: {
      ...picked(chatParameters, ['n', 'parallel_tool_calls']),
      random_seed: integer(0),
      safe_prompt: boolean,
      stream_options: object({}),
    },
  },
  phi: { ...plain, tools: false, formats: ['json_object'] },
} as const satisfies Readonly<Record<string, Make>>;
