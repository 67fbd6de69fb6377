// The fields of the format: a custom provider gets these and no others, unless its operator lists them.
import type { ResponseCreateParamsBase } from 'openai/resources/responses/responses';
import { expect, it } from 'vitest';
import { routingFields } from '../../../../../proxy/formats/chat-completions/passed-fields.ts';
import { formatFields } from '../../../../../proxy/formats/responses/fields.ts';

/** Every field of the package openai; the compiler checks that the list is complete. */
const sdkFields: Record<keyof ResponseCreateParamsBase, true> = {
  ...{ access_programs: true, background: true, context_management: true, conversation: true, image: true },
  ...{ include: true, input: true, instructions: true, max_output_tokens: true, max_tool_calls: true, metadata: true },
  ...{ model: true, moderation: true, parallel_tool_calls: true, previous_response_id: true, prompt: true },
  ...{ prompt_cache_key: true, prompt_cache_options: true, prompt_cache_retention: true, reasoning: true },
  ...{ safety_identifier: true, service_tier: true, store: true, stream: true, stream_options: true },
  ...{ temperature: true, text: true, tool_choice: true, tools: true, top_logprobs: true, top_p: true },
  ...{ truncation: true, user: true },
};

it('every field of the SDK is known, and one that only a coding agent sends', () => {
  expect([...formatFields].toSorted()).toEqual([...Object.keys(sdkFields), 'client_metadata'].toSorted());
});

it('no field chooses a model, a host or a key elsewhere', () => {
  for (const name of routingFields) expect([name, formatFields.has(name)]).toEqual([name, false]);
});
