// Which fields of a request have a place at the vendor, and which values of them at this model. All others are dropped and named
// to the caller, or refused where the answer would be misread.

import type { TranslatedCall } from '../format.ts';
import { isTier } from './extensions.ts';
import { takesModalities } from './generation.ts';
import { type Asked, mayCall } from './request-plan.ts';

/** Names of the body's fields that are translated. */
export function takenFields(call: TranslatedCall, asked: Asked): string[] {
  const body = call.request.options;
  return Object.keys(body).filter((name) => places.get(name)?.(body[name], call, asked));
}

type Takes = (value: unknown, call: TranslatedCall, asked: Asked) => boolean;

const always: Takes = () => true;
const sampling: Takes = (_value, { capabilities }) => capabilities.sampling;
const penalties: Takes = (_value, { capabilities }) => capabilities.penalties;

/** The fields that have a place at the vendor, each with whether this request's value has one at this model. */
const places: ReadonlyMap<string, Takes> = new Map(
  Object.entries({
    tools: always,
    functions: always,
    tool_choice: always,
    function_call: always,
    // The vendor has no word for one call at a time.
    parallel_tool_calls: (value) => value === true,
    response_format: always,
    max_tokens: always,
    max_completion_tokens: always,
    stop: always,
    seed: always,
    temperature: sampling,
    top_p: sampling,
    top_k: sampling,
    presence_penalty: penalties,
    frequency_penalty: penalties,
    n: (_value, { request, capabilities }) => capabilities.severalAnswers && !request.stream,
    logprobs: (value, { capabilities }) => value === true && capabilities.logprobs,
    top_logprobs: (_value, { request, capabilities }) =>
      request.options.logprobs === true && capabilities.logprobs,
    modalities: takesModalities,
    service_tier: isTier,
    web_search_options: (_value, _call, { tools }) => !mayCall(tools),
    safety_settings: always,
    safetySettings: always,
    cached_content: always,
    cachedContent: always,
  } satisfies Record<string, Takes>),
);
