// The usage of a response in the vendor's fields: input tokens exclude those of the prompt cache, output tokens include
// those of thinking (Usage of its SDK).
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import type { MessageRequest } from './message-request.ts';

export interface Spent {
  readonly thought: number;
  readonly textTokens: number;
}

/** Undefined where a test removes usage. Scripted fields replace the estimates. */
export function usageOf(request: MessageRequest, behaviour: Behaviour, spent: Spent): Json | undefined {
  if (behaviour.usage === null) return undefined;
  const { uncached, read, written } = request.prompt;
  return {
    input_tokens: uncached,
    cache_creation_input_tokens: written['5m'] + written['1h'],
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
    output_tokens: spent.thought + spent.textTokens,
    ...(request.thinking.mode !== 'off' && { output_tokens_details: { thinking_tokens: spent.thought } }),
    ...(behaviour.citations && { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } }),
    service_tier: 'standard',
    inference_geo: request.body.inference_geo ?? 'global',
    ...behaviour.usage,
  };
}

/** The usage at the start of a stream: complete except for the output. */
export function startingUsage(usage: Json): Json {
  const { output_tokens_details: _details, server_tool_use: _searches, ...known } = usage;
  return { ...known, output_tokens: 1 };
}

const cumulative = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
];

/** The usage at the end of a stream: the fields of MessageDeltaUsage in the vendor's SDK. */
export function endingUsage(usage: Json): Json {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => cumulative.includes(name)));
}
