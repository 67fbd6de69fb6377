// The parameters of POST /responses, each with its own check. Follows ResponseCreateParams of the vendor's SDK.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  decimal,
  integer,
  nullable,
  object,
  oneOf,
  picked,
  string,
  tagged,
} from '../../checks.ts';
import { chatParameters } from '../parameters.ts';
import { input } from './items.ts';
import { include, toolChoice, tools } from './tools.ts';

const type = anything;

export const textFormat = tagged('type', {
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object(
    { type, name: string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ }), schema: anyObject },
    { description: string(), strict: nullable(boolean) },
  ),
});

const conversation: Check = (value, path) =>
  typeof value === 'string' ? string({ min: 1 })(value, path) : object({ id: string({ min: 1 }) })(value, path);

const summary = nullable(oneOf('auto', 'concise', 'detailed'));
const cacheOptions = {
  mode: oneOf('implicit', 'explicit'),
  ttl: oneOf('30m', '12h'),
  prewarm: boolean,
  comparison_response_id: nullable(string()),
};

export const responseParameters = {
  access_programs: anyObject,
  background: nullable(boolean),
  // Not in the SDK's type. The vendor's own coding agent sends it with an API key.
  client_metadata: nullable(anyObject),
  context_management: nullable(arrayOf(object({ type: string() }, { compact_threshold: nullable(integer(1)) }))),
  conversation: nullable(conversation),
  image: anyObject,
  include: nullable(include),
  input: nullable(input),
  instructions: nullable(string()),
  // Fewer than 16 tokens are refused.
  max_output_tokens: nullable(integer(16)),
  max_tool_calls: nullable(integer(1)),
  metadata: chatParameters.metadata,
  moderation: nullable(anyObject),
  parallel_tool_calls: nullable(boolean),
  previous_response_id: nullable(string({ min: 1 })),
  prompt: nullable(object({ id: string({ min: 1 }) }, { variables: nullable(anyObject), version: nullable(string()) })),
  prompt_cache_key: chatParameters.prompt_cache_key,
  prompt_cache_options: object({}, cacheOptions),
  prompt_cache_retention: chatParameters.prompt_cache_retention,
  reasoning: nullable(
    object(
      {},
      {
        context: nullable(oneOf('auto', 'current_turn', 'all_turns')),
        effort: chatParameters.reasoning_effort,
        generate_summary: summary,
        mode: nullable(string()),
        summary,
      },
    ),
  ),
  safety_identifier: nullable(string({ max: 128 })),
  service_tier: nullable(oneOf('auto', 'default', 'flex', 'priority', 'fast', 'ultrafast')),
  store: nullable(boolean),
  stream: nullable(boolean),
  stream_options: nullable(object({}, { include_obfuscation: boolean })),
  temperature: nullable(decimal(0, 2)),
  text: object({}, { format: textFormat, verbosity: chatParameters.verbosity }),
  tool_choice: toolChoice,
  tools,
  top_logprobs: nullable(integer(0, 20)),
  top_p: nullable(decimal(0, 1)),
  truncation: nullable(oneOf('auto', 'disabled')),
  user: nullable(string()),
} as const satisfies Readonly<Record<string, Check>>;

const model = string({ min: 1 });

export const createBody = object({ model }, responseParameters);

/** InputTokenCountParams of the SDK. */
export const countBody = object(
  { model },
  {
    ...picked(responseParameters, [
      ...(['conversation', 'input', 'instructions', 'parallel_tool_calls', 'previous_response_id'] as const),
      ...(['reasoning', 'text', 'tool_choice', 'tools', 'truncation'] as const),
    ]),
    personality: string({ max: 64 }),
  },
);

/** ResponseCompactParams of the SDK. */
export const compactBody = object(
  { model },
  picked(responseParameters, [
    ...(['image', 'input', 'instructions', 'previous_response_id', 'prompt_cache_key'] as const),
    ...(['prompt_cache_options', 'prompt_cache_retention', 'service_tier'] as const),
  ]),
);
