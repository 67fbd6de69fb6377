// Every reason for the end of a response that a vendor's SDK has, as clients of every format get it: in a word of the
// client's own SDK, and never as a proper end if the response failed.
import type Anthropic from '@anthropic-ai/sdk';
import { StopReason } from '@aws-sdk/client-bedrock-runtime';
import { FinishReason } from '@google/genai';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { isObject, objectsOf, parseJson } from '../../../../common/json.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { failedResponse, inClientFormat } from '../../../../proxy/http/client-response.ts';
import { ProviderFailure } from '../../../../proxy/upstream/provider-failure.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { clientRequestOf } from '../../../support/client-streams.ts';
import { callOf } from '../../../support/vendor-calls.ts';
import { plainModels } from '../../../support/vendors.ts';

type Body = (reason: string) => object;

const bodies: Partial<Record<VendorName, Body>> = {
  'search-provider': (finishReason) => ({ candidates: [{ content: { parts: [{ text: 'Tea' }] }, finishReason }] }),
  'managed-cloud-models': (stopReason) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Tea' }] } },
    ...{ stopReason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  }),
  'assistant-provider': (reason) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Tea' }] },
    ...{ stop_reason: reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  }),
  'gpt-provider': (reason) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Tea' }, finish_reason: reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
};

const formats = ['messages', 'responses', 'generate_content', 'converse'] as const;
type Words = readonly [messages: string, responses: string, generateContent: string, converse: string];

/** A Messages client gets an error, because its format has no word for a response that failed. */
const failed = 'error';
const stop: Words = ['end_turn', 'completed', 'STOP', 'end_turn'];
const length: Words = ['max_tokens', 'incomplete: max_output_tokens', 'MAX_TOKENS', 'max_tokens'];
const filtered = (google = 'SAFETY', cloud = 'content_filtered'): Words => [
  ...(['refusal', 'incomplete: content_filter'] as const),
  ...([google, cloud] as const),
];
const broken = (google: string, cloud: string): Words => [failed, 'failed', google, cloud];

const google: Readonly<Record<FinishReason, Words>> = {
  FINISH_REASON_UNSPECIFIED: stop,
  STOP: stop,
  MAX_TOKENS: length,
  CONTINUATION: length,
  SAFETY: filtered(),
  RECITATION: filtered('RECITATION'),
  LANGUAGE: filtered('LANGUAGE'),
  OTHER: filtered('OTHER'),
  BLOCKLIST: filtered('BLOCKLIST'),
  PROHIBITED_CONTENT: filtered('PROHIBITED_CONTENT'),
  SPII: filtered('SPII'),
  IMAGE_SAFETY: filtered('IMAGE_SAFETY'),
  IMAGE_PROHIBITED_CONTENT: filtered('IMAGE_PROHIBITED_CONTENT'),
  NO_IMAGE: filtered('NO_IMAGE'),
  IMAGE_RECITATION: filtered('IMAGE_RECITATION'),
  IMAGE_OTHER: filtered('IMAGE_OTHER'),
  MALFORMED_FUNCTION_CALL: broken('MALFORMED_FUNCTION_CALL', 'malformed_tool_use'),
  UNEXPECTED_TOOL_CALL: broken('UNEXPECTED_TOOL_CALL', 'malformed_tool_use'),
  TOO_MANY_TOOL_CALLS: broken('TOO_MANY_TOOL_CALLS', 'malformed_tool_use'),
  MALFORMED_RESPONSE: broken('MALFORMED_RESPONSE', 'malformed_model_output'),
};

const ofContext: Words = [
  ...(['model_context_window_exceeded', 'incomplete: max_output_tokens'] as const),
  ...(['MAX_TOKENS', 'model_context_window_exceeded'] as const),
];

const cloud: Readonly<Record<StopReason, Words>> = {
  end_turn: stop,
  stop_sequence: ['end_turn', 'completed', 'STOP', 'stop_sequence'],
  tool_use: stop,
  max_tokens: length,
  model_context_window_exceeded: ofContext,
  content_filtered: filtered(),
  guardrail_intervened: filtered('SAFETY', 'guardrail_intervened'),
  malformed_model_output: broken('MALFORMED_RESPONSE', 'malformed_model_output'),
  malformed_tool_use: broken('MALFORMED_FUNCTION_CALL', 'malformed_tool_use'),
};

const claude: Readonly<Record<Anthropic.StopReason, Words>> = {
  end_turn: stop,
  stop_sequence: ['end_turn', 'completed', 'STOP', 'stop_sequence'],
  tool_use: stop,
  max_tokens: length,
  pause_turn: ['pause_turn', 'incomplete: max_output_tokens', 'MAX_TOKENS', 'max_tokens'],
  model_context_window_exceeded: ofContext,
  refusal: filtered(),
};

const gpt: Readonly<Record<OpenAI.ChatCompletion.Choice['finish_reason'] | 'error', Words>> = {
  stop,
  length,
  content_filter: filtered(),
  tool_calls: ['tool_use', 'completed', 'STOP', 'tool_use'],
  function_call: ['tool_use', 'completed', 'STOP', 'tool_use'],
  // Routers in the form of chat completions.
  error: broken('OTHER', 'malformed_model_output'),
};

const tables = [
  ['search-provider', google],
  ['managed-cloud-models', cloud],
  ['assistant-provider', claude],
  ['gpt-provider', gpt],
] as const satisfies readonly (readonly [VendorName, Readonly<Record<string, Words>>])[];

const context = { elapsedMs: () => 1, inSlices: () => Promise.reject(new Error('it is small')), isGuarded: false };

/** The word that the client reads in the whole response. */
function wordOf(format: (typeof formats)[number], completion: Buffer): string {
  const { translation } = clientFormats[format];
  if (translation === undefined) throw new Error('a format of its own');
  const client = clientRequestOf(translation, { framing: undefined });
  try {
    const written = inClientFormat({ kind: 'complete', headers: [], body: completion }, client, context);
    return 'body' in written ? wordIn(parseJson(written.body.toString())) : '';
  } catch (error) {
    if (error instanceof ProviderFailure && error.status === 502 && error.retryable) return failed;
    throw error;
  }
}

function wordIn(body: unknown): string {
  if (!isObject(body)) return '';
  const { stop_reason: messages, stopReason: converse, candidates, status, incomplete_details: details } = body;
  const [candidate] = objectsOf(candidates);
  const why = isObject(details) ? `: ${String(details.reason)}` : '';
  return String(messages ?? converse ?? candidate?.finishReason ?? `${String(status)}${why}`);
}

describe.each(tables)('a response of %s', (vendor, table) => {
  const body = bodies[vendor];
  if (body === undefined) throw new Error(`${vendor} has no body`);
  const call = callOf(vendor, plainModels[vendor], { messages: [{ role: 'user', content: 'Hi' }] });

  it.each(Object.entries<Words>(table))('that ends with %s is %j', (reason, words) => {
    const sent = { head: {}, body: Buffer.from(JSON.stringify(body(reason))) };
    const completion = call.target.provider.format.readResponse(call, sent).body;
    expect(formats.map((format) => wordOf(format, completion))).toEqual([...words]);
  });
});

it('the vendors’ reasons are those of their SDKs', () => {
  expect(Object.keys(google).sort()).toEqual(Object.values(FinishReason).sort());
  expect(Object.keys(cloud).sort()).toEqual(Object.values(StopReason).sort());
});

it('a vendor’s word is in the error only if it is one', () => {
  const { message } = failedResponse({ reason: 'error', native: 'MALFORMED_RESPONSE' });
  expect(message).toBe('the model did not complete its response (MALFORMED_RESPONSE)');
  const { message: other } = failedResponse({ reason: 'error', native: 'call boil(' });
  expect(other).toBe('the model did not complete its response');
});
