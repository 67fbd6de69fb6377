// The bodies of vendors' counters: the fields that the SDKs' types have for a call of the model and not for a count are
// taken out, and all others stay.
import type { Anthropic } from '@anthropic-ai/sdk';
import type { ConverseRequest, ConverseTokensRequest } from '@aws-sdk/client-bedrock-runtime';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type JsonObject, parseJson } from '../../../../common/json.ts';
import { converseCount, countedModel } from '../../../../proxy/formats/converse/count.ts';
import { generateContentCount } from '../../../../proxy/formats/generate-content/count.ts';
import { messagesCount } from '../../../../proxy/formats/messages/count.ts';
import { responsesCount } from '../../../../proxy/formats/responses/count.ts';

/** The compiler finds a field that is missing here, or that does not belong here. */
type OfCalls<Call, Count> = Readonly<Record<Exclude<keyof Call, keyof Count>, true>>;
type Counted<Call, Count> = Readonly<Record<Extract<keyof Call, keyof Count>, true>>;

type BetaCall = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
type BetaCount = Anthropic.Beta.Messages.MessageCountTokensParams;
const messages = {
  ofCalls: {
    container: true,
    diagnostics: true,
    fallback_credit_token: true,
    fallbacks: true,
    inference_geo: true,
    max_tokens: true,
    metadata: true,
    service_tier: true,
    stop_sequences: true,
    stream: true,
    thread: true,
  } satisfies OfCalls<BetaCall, BetaCount>,
  counted: {
    betas: true,
    billing_policy: true,
    cache_control: true,
    compaction: true,
    context_management: true,
    mcp_servers: true,
    messages: true,
    model: true,
    output_config: true,
    output_format: true,
    speed: true,
    system: true,
    thinking: true,
    tool_choice: true,
    tools: true,
    user_profile_id: true,
    workspace_id: true,
  } satisfies Counted<BetaCall, BetaCount>,
};

/** Of the version 2023-06-01, which has no types any more. */
const sampling = { temperature: true, top_k: true, top_p: true };

type ResponseCall = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type ResponseCount = OpenAI.Responses.InputTokenCountParams;
const responses = {
  ofCalls: {
    access_programs: true,
    background: true,
    context_management: true,
    image: true,
    include: true,
    max_output_tokens: true,
    max_tool_calls: true,
    metadata: true,
    moderation: true,
    prompt: true,
    prompt_cache_key: true,
    prompt_cache_options: true,
    prompt_cache_retention: true,
    safety_identifier: true,
    service_tier: true,
    store: true,
    stream: true,
    stream_options: true,
    temperature: true,
    top_logprobs: true,
    top_p: true,
    user: true,
  } satisfies OfCalls<ResponseCall, ResponseCount>,
  counted: {
    conversation: true,
    input: true,
    instructions: true,
    model: true,
    parallel_tool_calls: true,
    previous_response_id: true,
    reasoning: true,
    text: true,
    tool_choice: true,
    tools: true,
    truncation: true,
  } satisfies Counted<ResponseCall, ResponseCount>,
};

const converse = {
  ofCalls: {
    additionalModelResponseFieldPaths: true,
    guardrailConfig: true,
    inferenceConfig: true,
    modelId: true,
    outputConfig: true,
    performanceConfig: true,
    promptVariables: true,
    requestMetadata: true,
    serviceTier: true,
  } satisfies OfCalls<ConverseRequest, ConverseTokensRequest>,
  counted: {
    additionalModelRequestFields: true,
    messages: true,
    system: true,
    toolConfig: true,
  } satisfies Counted<ConverseRequest, ConverseTokensRequest>,
};

describe('the body of a counter', () => {
  it.each([
    [
      'Messages',
      messagesCount,
      { ...messages, ofCalls: { ...messages.ofCalls, ...sampling } },
      (body: JsonObject): unknown => body,
    ],
    ['Responses', responsesCount, responses, (body: JsonObject): unknown => body],
    ['Converse', converseCount, converse, ({ input }: JsonObject): unknown => (input as JsonObject).converse],
  ])(
    'has the fields of a %s request that are counted, and unknown ones',
    (_name, form, { ofCalls, counted }, inner) => {
      const kept = { ...counted, unknown: true };
      const body = parseJson(form.writeBody(JSON.stringify({ ...ofCalls, ...kept }), 'a')) as JsonObject;
      expect(inner(body)).toEqual(kept);
    },
  );

  it.each([
    ['{"contents": []}', '{"contents": []}'],
    ['{}', '{}'],
    ['{"contents": [], "model":"x"}', '{"generateContentRequest":{"contents": [], "model":"models/gemini-2.5-flash"}}'],
    [
      '{"contents":[],"tools":[]}',
      '{"generateContentRequest":{"contents":[],"tools":[],"model":"models/gemini-2.5-flash"}}',
    ],
  ])('of generateContent has the contents alone, or a whole request inside: %s', (text, expected) => {
    expect(generateContentCount.writeBody(text, 'gemini-2.5-flash')).toBe(expected);
    expect(generateContentCount.writeBody(text, 'models/gemini-2.5-flash')).toBe(expected);
  });
});

describe('the number in a response', () => {
  it.each([
    [messagesCount, { input_tokens: 7 }],
    [responsesCount, { object: 'response.input_tokens', input_tokens: 7 }],
    [generateContentCount, { totalTokens: 7, promptTokensDetails: [] }],
    [converseCount, { inputTokens: 7 }],
  ])('is where the vendor has it', (form, response) => {
    expect(form.tokensIn(response)).toBe(7);
    expect(form.tokensIn({})).toBeUndefined();
  });
});

describe('a model of the cloud', () => {
  const error = (message: string) => ({
    ...{ status: 400, message, param: undefined, code: undefined, retryable: false, retryAfter: undefined },
  });

  it.each([
    ['us.anthropic.claude-sonnet-4-6', 'anthropic.claude-sonnet-4-6'],
    ['us-gov.anthropic.claude-3-haiku-20240307-v1:0', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['anthropic.claude-sonnet-4-6', 'anthropic.claude-sonnet-4-6'],
    ['us.amazon.nova-2-lite-v1:0', 'us.amazon.nova-2-lite-v1:0'],
    ['zai.glm-4.7', 'zai.glm-4.7'],
  ])('is counted by its name within an inference profile: %s', (model, expected) => {
    expect(countedModel(model)).toBe(expected);
  });

  // As users of the vendor quote them.
  it.each([
    "The provided model doesn't support counting tokens.",
    'The provided model identifier is invalid.',
    'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
  ])('may have no counter: %s', (message) => {
    expect(converseCount.lacksModel?.(error(message))).toBe(true);
  });

  it('has a counter that refuses wrong requests', () => {
    expect(converseCount.lacksModel?.(error('A conversation must start with a user message.'))).toBe(false);
  });
});
