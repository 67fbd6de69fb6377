// The response object (Response of the vendor's SDK): the parameters with their defaults, and what the model made.
import type { Behaviour } from '../../behaviour.ts';
import { isObject, type Json } from '../../checks.ts';
import type { Completion } from '../completion.ts';
import { usualError } from '../refusal.ts';
import { incompleteReason, type Output } from './output.ts';
import type { ResponsesRequest } from './request.ts';
import { isWebSearch } from './tools.ts';

export interface Identity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
}

/** Parameters that a response repeats, with their defaults. */
const repeated = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** @param status of a response without output: `queued`, `in_progress` */
export function openResponse({ body, model, effort, format }: ResponsesRequest, identity: Identity, status: string) {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  const text = isObject(body.text) ? body.text : {};
  const usualEffort = model.efforts.length > 0 ? 'medium' : null;
  return {
    id: identity.id,
    object: 'response',
    created_at: identity.created,
    status,
    ...Object.fromEntries(Object.entries(repeated).map(([name, usual]) => [name, body[name] ?? usual])),
    access_programs: null,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model: model.snapshot,
    output: [],
    reasoning: { effort: effort ?? usualEffort, summary: reasoning.summary ?? null },
    // The tier that serves the response is known at its end.
    service_tier: body.service_tier ?? 'auto',
    text: { format, verbosity: text.verbosity ?? 'medium' },
    tools: ((body.tools ?? []) as readonly Json[]).map(echoedTool),
    usage: null,
  };
}

/** Functions are strict unless the caller refuses it. */
function echoedTool(tool: Json): Json {
  if (tool.type === 'function') return { ...tool, description: tool.description ?? null, strict: tool.strict ?? true };
  return isWebSearch(tool) ? { search_context_size: 'medium', user_location: null, ...tool } : tool;
}

function serviceTier({ service_tier: tier }: Json): unknown {
  if (tier === 'fast') return 'priority';
  return tier == null || tier === 'auto' ? 'default' : tier;
}

export function endedResponse(opened: Json, { items, completion, searches }: Output, behaviour: Behaviour) {
  const reason = incompleteReason(completion.finishReason);
  const failed = completion.finishReason === 'failed';
  const status = failed ? 'failed' : reason === undefined ? 'completed' : 'incomplete';
  return {
    ...opened,
    status,
    completed_at: status === 'completed' ? opened.created_at : null,
    error: failed ? errorOf(behaviour) : null,
    incomplete_details: reason === undefined ? null : { reason },
    service_tier: serviceTier(opened),
    output: items.map(({ item }) => item),
    ...(searches > 0 && { tool_usage: { web_search: { num_requests: searches } } }),
    usage: usageOf(completion, behaviour),
  };
}

function errorOf({ error }: Behaviour): Json {
  return { code: error?.code ?? 'server_error', message: error?.message ?? usualError(500).message };
}

const usageFields = ['input_tokens', 'input_tokens_details', 'output_tokens', 'output_tokens_details', 'total_tokens'];

/** The usage of chat completions under this API's names. A script may use either names. */
function usageOf({ usage }: Completion, behaviour: Behaviour): Json | null {
  if (usage === undefined) return null;
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const cached = isObject(prompt) ? prompt.cached_tokens : 0;
  const reasoning = isObject(completion) ? completion.reasoning_tokens : 0;
  const own = Object.entries(behaviour.usage ?? {}).filter(([name]) => usageFields.includes(name));
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: cached ?? 0, cache_write_tokens: 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: usage.total_tokens,
    ...Object.fromEntries(own),
  };
}
