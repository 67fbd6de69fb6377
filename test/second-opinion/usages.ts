// Usages as vendors report them: whole responses in five wire formats that use each kind of price. The counts are
// unusual and all different, so that none can be mistaken for another.

export interface PlayedUsage {
  readonly what: string;
  /** The vendor's response. */
  readonly response: object;
  /** Fields of the request. */
  readonly requested?: Readonly<Record<string, unknown>>;
  /** Headers of the response. */
  readonly head?: Readonly<Record<string, string>>;
  /** The region that the operator has set for the request. */
  readonly region?: string;
}

type Json = Readonly<Record<string, unknown>>;

const text = 'An output.';

function completion(usage: Json, more: Json = {}): object {
  const { message = { role: 'assistant', content: text }, ...fields } = more;
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: '{model}' },
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { ...usage, total_tokens: Number(usage.prompt_tokens) + Number(usage.completion_tokens) },
    ...fields,
  };
}

/** @param written `prompt_tokens` and `completion_tokens` */
const gpt = (prompt: number, written: number, details: Json = {}, more: Json = {}) =>
  completion({ prompt_tokens: prompt, completion_tokens: written, ...details }, more);
const ofPrompt = (details: Json) => ({ prompt_tokens_details: details });
const ofCompletion = (details: Json) => ({ completion_tokens_details: details });

const sounding = {
  ...ofPrompt({ cached_tokens: 0, audio_tokens: 701, text_tokens: 1302 }),
  ...ofCompletion({ audio_tokens: 307, text_tokens: 104, reasoning_tokens: 0 }),
};
const cited = {
  role: 'assistant',
  content: text,
  annotations: [
    {
      type: 'url_citation',
      url_citation: { url: 'https://a.example', title: 'a', start_index: 0, end_index: 2 },
    },
  ],
};

/** Chat completions of the GPT vendor, and of the studio. */
export const gptUsages: readonly PlayedUsage[] = [
  { what: 'plain', response: gpt(1003, 211) },
  { what: 'cached', response: gpt(5003, 211, ofPrompt({ cached_tokens: 4096 })) },
  {
    what: 'cache written',
    response: gpt(5003, 211, ofPrompt({ cached_tokens: 1024, cache_write_tokens: 2048 })),
  },
  {
    what: 'cache written for 12 h',
    response: gpt(
      5003,
      211,
      ofPrompt({
        ...{ cached_tokens: 1024, cache_write_tokens: 2048 },
        cache_write_tokens_details: { ttl_12h_tokens: 1536 },
      }),
    ),
    requested: { prompt_cache_options: { ttl: '12h' } },
  },
  {
    what: 'cache written for 12 h, as requested',
    response: gpt(5003, 211, ofPrompt({ cached_tokens: 1024, cache_write_tokens: 2048 })),
    requested: { prompt_cache_options: { ttl: '12h' } },
  },
  { what: 'reasoning', response: gpt(1003, 2211, ofCompletion({ reasoning_tokens: 2048 })) },
  { what: 'long', response: gpt(300_007, 211) },
  { what: 'long, cached', response: gpt(300_007, 211, ofPrompt({ cached_tokens: 262_144 })) },
  {
    what: 'priority',
    response: gpt(1003, 211, ofPrompt({ cached_tokens: 512 }), { service_tier: 'priority' }),
  },
  { what: 'priority, long', response: gpt(300_007, 211, {}, { service_tier: 'priority' }) },
  { what: 'flex', response: gpt(1003, 211, ofPrompt({ cached_tokens: 512 }), { service_tier: 'flex' }) },
  { what: 'sound', response: gpt(2003, 411, sounding) },
  { what: 'in the EU', response: gpt(1003, 211, ofPrompt({ cached_tokens: 512 })), region: 'eu' },
  {
    what: 'searched',
    response: gpt(1003, 211, {}, { message: cited }),
    requested: { web_search_options: {} },
  },
];

const message = (usage: Json) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: '{model}' },
  ...{ content: [{ type: 'text', text }], stop_reason: 'end_turn', stop_sequence: null },
  usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage },
});
const claude = (input: number, output: number, more: Json = {}) =>
  message({ input_tokens: input, output_tokens: output, ...more });
const written = (five: number, hour: number) => ({
  cache_creation_input_tokens: five + hour,
  cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour },
});

/** Messages of the assistant vendor. */
export const assistantUsages: readonly PlayedUsage[] = [
  { what: 'plain', response: claude(1003, 211) },
  { what: 'cached', response: claude(907, 211, { cache_read_input_tokens: 4096 }) },
  { what: 'cache written', response: claude(907, 211, written(2048, 0)) },
  { what: 'cache written for 1 h', response: claude(907, 211, written(0, 2048)) },
  {
    what: 'both lifetimes, and cached',
    response: claude(907, 211, { ...written(1024, 512), cache_read_input_tokens: 4096 }),
  },
  { what: 'reasoning', response: claude(1003, 2211) },
  { what: 'long', response: claude(250_007, 211) },
  { what: 'long, cached', response: claude(50_007, 211, { cache_read_input_tokens: 204_800 }) },
  { what: 'searched', response: claude(9003, 211, { server_tool_use: { web_search_requests: 3 } }) },
  { what: 'in the US', response: claude(1003, 211, { inference_geo: 'us', cache_read_input_tokens: 512 }) },
  { what: 'standard, reported', response: claude(1003, 211, { service_tier: 'standard' }) },
  { what: 'fast', response: claude(1003, 211, { speed: 'fast' }), requested: { speed: 'fast' } },
];

const converse = (inputTokens: number, outputTokens: number, usage: Json = {}, more: Json = {}) => ({
  output: { message: { role: 'assistant', content: [{ text }] } },
  ...{ stopReason: 'end_turn', metrics: { latencyMs: 9 } },
  usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...usage },
  ...more,
});
const cloudCache = (read: number, five: number, hour = 0) => ({
  ...{ cacheReadInputTokens: read, cacheWriteInputTokens: five + hour },
  cacheDetails: [
    ...(five > 0 ? [{ ttl: '5m', inputTokens: five }] : []),
    ...(hour > 0 ? [{ ttl: '1h', inputTokens: hour }] : []),
  ],
});

/** Converse of the managed cloud. */
export const cloudUsages: readonly PlayedUsage[] = [
  { what: 'plain', response: converse(1003, 211) },
  { what: 'cached', response: converse(907, 211, cloudCache(4096, 0)) },
  { what: 'cache written', response: converse(907, 211, cloudCache(0, 2048)) },
  { what: 'cache written for 1 h', response: converse(907, 211, cloudCache(0, 0, 2048)) },
  { what: 'both lifetimes, and cached', response: converse(907, 211, cloudCache(4096, 1024, 512)) },
  { what: 'much written', response: converse(101, 4099) },
  { what: 'long', response: converse(300_007, 211) },
  { what: 'long, cached', response: converse(50_007, 211, cloudCache(262_144, 0)) },
  { what: 'priority', response: converse(1003, 211, {}, { serviceTier: { type: 'priority' } }) },
  { what: 'flex', response: converse(1003, 211, {}, { serviceTier: { type: 'flex' } }) },
  { what: 'standard, reported', response: converse(1003, 211, {}, { serviceTier: { type: 'default' } }) },
];

const generated = (usageMetadata: Json, candidate: Json = {}) => ({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text }] }, ...candidate }],
  ...{ usageMetadata, modelVersion: '{model}', responseId: 'r-1' },
});
const gemini = (prompt: number, textTokens: number, usage: Json = {}, candidate: Json = {}) => {
  const { thoughtsTokenCount = 0, toolUsePromptTokenCount = 0 } = usage as Record<string, number>;
  const totalTokenCount = prompt + textTokens + thoughtsTokenCount + toolUsePromptTokenCount;
  return generated(
    { promptTokenCount: prompt, candidatesTokenCount: textTokens, totalTokenCount, ...usage },
    candidate,
  );
};
const modality = (name: string, tokenCount: number) => ({ modality: name, tokenCount });
const received = [modality('TEXT', 1302), modality('AUDIO', 701)];
const acquired = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
const searched = {
  webSearchQueries: ['one', 'two'],
  groundingChunks: [{ web: { uri: 'https://a.example', title: 'a' } }],
};
const read = { groundingChunks: [{ web: { uri: 'https://a.example', title: 'a' } }] };

/** `generateContent` of the search company. */
export const searchUsages: readonly PlayedUsage[] = [
  { what: 'plain', response: gemini(1003, 211) },
  { what: 'cached', response: gemini(5003, 211, { cachedContentTokenCount: 4096 }) },
  { what: 'reasoning', response: gemini(1003, 211, { thoughtsTokenCount: 2048 }) },
  { what: 'long', response: gemini(250_007, 211) },
  { what: 'long, cached', response: gemini(250_007, 211, { cachedContentTokenCount: 204_800 }) },
  { what: 'sound', response: gemini(2003, 211, { promptTokensDetails: received }) },
  {
    what: 'sound, cached',
    response: gemini(2003, 211, {
      promptTokensDetails: received,
      cachedContentTokenCount: 1024,
      cacheTokensDetails: [modality('TEXT', 524), modality('AUDIO', 500)],
    }),
  },
  {
    what: 'image made',
    response: gemini(
      1003,
      1501,
      { candidatesTokensDetails: [modality('TEXT', 211), modality('IMAGE', 1290)] },
      { content: { role: 'model', parts: [{ text }, acquired] } },
    ),
    requested: { modalities: ['text', 'image'] },
  },
  {
    what: 'searched',
    response: gemini(1003, 211, { toolUsePromptTokenCount: 907 }, { groundingMetadata: searched }),
    requested: { tools: [{ googleSearch: {} }] },
  },
  {
    what: 'pages read',
    response: gemini(...([1003, 211, { toolUsePromptTokenCount: 9007 }] as const), {
      groundingMetadata: read,
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.example' }] },
    }),
    requested: { tools: [{ urlContext: {} }] },
  },
  { what: 'priority', response: gemini(1003, 211), head: { 'x-gemini-service-tier': 'priority' } },
  {
    what: 'flex',
    response: gemini(1003, 211, { cachedContentTokenCount: 512 }),
    head: { 'x-gemini-service-tier': 'flex' },
  },
  {
    what: 'output in the total alone',
    response: generated({ promptTokenCount: 1003, totalTokenCount: 1214 }),
  },
  {
    what: 'thoughts in the total alone',
    response: generated({ promptTokenCount: 1003, candidatesTokenCount: 211, totalTokenCount: 3262 }),
  },
];
