// Fields of chat completions (SDK type `ChatCompletionCreateParams` of the package openai).
import type OpenAI from 'openai';
import { png } from '../../support/png.ts';
import { type Notes, type Probe, probesOf, reasoningModels, whole } from '../probe.ts';

type Request = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model' | 'stream'> & { readonly stream?: boolean };
type Message = OpenAI.ChatCompletionMessageParam;
type Part = OpenAI.ChatCompletionContentPart;

const hello: Message = { role: 'user', content: 'Hello' };
const { field, beside } = probesOf<Request>({ messages: [hello] });

const tool = (fields: Partial<OpenAI.FunctionDefinition> = {}): OpenAI.ChatCompletionTool => ({
  type: 'function',
  function: { name: 'weather', ...fields },
});
const custom = (fields: Partial<OpenAI.ChatCompletionCustomTool.Custom> = {}): OpenAI.ChatCompletionCustomTool => ({
  type: 'custom',
  custom: { name: 'patch', ...fields },
});
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const format = (
  fields: Partial<OpenAI.ResponseFormatJSONSchema['json_schema']> = {},
): OpenAI.ResponseFormatJSONSchema => ({ type: 'json_schema', json_schema: { name: 'city', schema, ...fields } });

/** A request that ends in other messages. */
const turns = (path: string, one: readonly Message[], other: readonly Message[], notes?: Notes): Probe =>
  beside(path, { messages: [...other] }, { messages: [...one] }, notes);
const parts = (path: string, one: readonly Part[], other: readonly Part[], notes?: Notes): Probe =>
  turns(path, [{ role: 'user', content: [...one] }], [{ role: 'user', content: [...other] }], notes);

const text: Part = { type: 'text', text: 'Hello' };
const mark = { mode: 'explicit' as const };
const image: Part = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
const pdf = 'data:application/pdf;base64,JVBERi0xLjQKJSVFT0YK';
const file: Part = { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } };
const audio: Part = { type: 'input_audio', input_audio: { data: 'UklGRiQAAABXQVZF', format: 'wav' } };
const hears: Notes = { models: { 'gpt-provider': 'gpt-4o-audio-preview', 'studio-ai': 'gpt-4o-audio-preview' } };

const called = (
  fields: Partial<OpenAI.ChatCompletionMessageFunctionToolCall.Function> = {},
  id = 'call_1',
): Message[] => [
  hello,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{}', ...fields } }],
  },
  { role: 'tool', tool_call_id: id, content: 'Rain.' },
];
const calledCustom = (fields: object = {}, id = 'call_1'): Message[] => [
  hello,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'custom', custom: { name: 'patch', input: 'a', ...fields } }],
  },
  { role: 'tool', tool_call_id: id, content: 'Done.' },
];
const legacy = (fields: object = {}, content = 'Rain.'): Message[] => [
  hello,
  { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}', ...fields } },
  { role: 'function', name: 'name' in fields ? String(fields.name) : 'weather', content },
];
const replied = (one: object): Message[] => [hello, { role: 'assistant', content: 'Hi', ...one }, hello];
const search = (approximate: object = {}) => ({
  web_search_options: {
    user_location: { type: 'approximate' as const, approximate: { country: 'NO', ...approximate } },
  },
});
const searches: Notes = { models: { 'gpt-provider': 'gpt-4o-search-preview' } };

export const chatCompletionsProbes: readonly Probe[] = [
  field('audio', { audio: { format: 'wav', voice: 'alloy' }, modalities: ['text', 'audio'] }, { ...hears, ...whole }),
  field('frequency_penalty', { frequency_penalty: 0.5 }),
  beside('function_call', { functions: [{ name: 'weather' }] }, { function_call: 'none' }),
  beside(
    'function_call.name',
    { functions: [{ name: 'weather' }, { name: 'time' }], function_call: { name: 'time' } },
    { function_call: { name: 'weather' } },
  ),
  beside(
    'functions.description',
    { functions: [{ name: 'weather' }] },
    { functions: [{ name: 'weather', description: 'It rains.' }] },
  ),
  field('functions.name', { functions: [{ name: 'weather' }] }),
  beside(
    'functions.parameters',
    { functions: [{ name: 'weather' }] },
    { functions: [{ name: 'weather', parameters: schema }] },
  ),
  field('logit_bias', { logit_bias: { '50256': -100 } }),
  field('logprobs', { logprobs: true }),
  field('max_completion_tokens', { max_completion_tokens: 100 }),
  field('max_tokens', { max_tokens: 100 }),
  turns(
    'messages[assistant].audio.id',
    replied({ content: null, audio: { id: 'audio_1' } }),
    replied({ content: null }),
    hears,
  ),
  turns(
    'messages[assistant].content[refusal].refusal',
    replied({ content: [{ type: 'refusal', refusal: 'No.' }] }),
    replied({ content: null }),
  ),
  turns(
    'messages[assistant].content[text].text',
    replied({ content: [{ type: 'text', text: 'Hi' }] }),
    replied({ content: null }),
  ),
  turns(
    'messages[assistant].content[text].prompt_cache_breakpoint.mode',
    replied({ content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: mark }] }),
    replied({ content: [{ type: 'text', text: 'Hi' }] }),
  ),
  turns(
    'messages[assistant].content[text].prompt_cache_breakpoint.ttl',
    replied({ content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { ...mark, ttl: '30m' } }] }),
    replied({ content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: mark }] }),
  ),
  turns('messages[assistant].function_call.arguments', legacy({ arguments: '{"city":"Oslo"}' }), legacy()),
  turns('messages[assistant].function_call.name', legacy({ name: 'time' }), legacy()),
  turns('messages[assistant].name', replied({ name: 'ann' }), replied({})),
  turns('messages[assistant].refusal', replied({ refusal: 'No.' }), replied({})),
  turns('messages[assistant].tool_calls[custom].custom.input', calledCustom({ input: 'b' }), replied({}), whole),
  turns('messages[assistant].tool_calls[custom].custom.name', calledCustom({ name: 'other' }), replied({}), whole),
  turns('messages[assistant].tool_calls[custom].id', calledCustom({}, 'call_2'), replied({}), whole),
  turns(
    'messages[assistant].tool_calls[function].function.arguments',
    called({ arguments: '{"city":"Oslo"}' }),
    called(),
  ),
  turns('messages[assistant].tool_calls[function].function.name', called({ name: 'time' }), called()),
  turns('messages[assistant].tool_calls[function].id', called({}, 'call_2'), called()),
  turns('messages[developer].content', [{ role: 'developer', content: 'Be brief.' }, hello], [hello]),
  turns(
    'messages[developer].name',
    [{ role: 'developer', content: 'a', name: 'ann' }, hello],
    [{ role: 'developer', content: 'a' }, hello],
  ),
  turns('messages[function].content', legacy({}, 'Sun.'), legacy()),
  turns('messages[function].name', legacy({ name: 'time' }), legacy()),
  turns('messages[system].content', [{ role: 'system', content: 'Be brief.' }, hello], [hello]),
  turns(
    'messages[system].name',
    [{ role: 'system', content: 'a', name: 'ann' }, hello],
    [{ role: 'system', content: 'a' }, hello],
  ),
  turns(
    'messages[tool].content',
    [...called().slice(0, 2), { role: 'tool', tool_call_id: 'call_1', content: 'Sun.' }],
    called(),
  ),
  turns('messages[tool].tool_call_id', called({}, 'call_2'), called()),
  parts('messages[user].content[file].file.file_data', [text, { type: 'file', file: { file_data: pdf } }], [text]),
  parts('messages[user].content[file].file.file_id', [text, { type: 'file', file: { file_id: 'file-1' } }], [text]),
  parts('messages[user].content[file].file.filename', [text, file], [text, { type: 'file', file: { file_data: pdf } }]),
  parts(
    'messages[user].content[file].prompt_cache_breakpoint.mode',
    [text, { ...file, prompt_cache_breakpoint: mark }],
    [text, file],
  ),
  parts(
    'messages[user].content[file].prompt_cache_breakpoint.ttl',
    [text, { ...file, prompt_cache_breakpoint: { ...mark, ttl: '30m' } }],
    [text, { ...file, prompt_cache_breakpoint: mark }],
  ),
  parts(
    'messages[user].content[image_url].image_url.detail',
    [text, { type: 'image_url', image_url: { ...image.image_url, detail: 'low' } }],
    [text, image],
  ),
  parts('messages[user].content[image_url].image_url.url', [text, image], [text]),
  parts(
    'messages[user].content[image_url].prompt_cache_breakpoint.mode',
    [text, { ...image, prompt_cache_breakpoint: mark }],
    [text, image],
  ),
  parts(
    'messages[user].content[image_url].prompt_cache_breakpoint.ttl',
    [text, { ...image, prompt_cache_breakpoint: { ...mark, ttl: '30m' } }],
    [text, { ...image, prompt_cache_breakpoint: mark }],
  ),
  parts('messages[user].content[input_audio].input_audio.data', [text, audio], [text], hears),
  parts(
    'messages[user].content[input_audio].input_audio.format',
    [text, { ...audio, input_audio: { ...audio.input_audio, format: 'mp3' } }],
    [text],
    hears,
  ),
  parts(
    'messages[user].content[input_audio].prompt_cache_breakpoint.mode',
    [text, { ...audio, prompt_cache_breakpoint: mark }],
    [text, audio],
    { ...hears, silent: 'no vendor caches sound' },
  ),
  parts(
    'messages[user].content[input_audio].prompt_cache_breakpoint.ttl',
    [text, { ...audio, prompt_cache_breakpoint: { ...mark, ttl: '30m' } }],
    [text, { ...audio, prompt_cache_breakpoint: mark }],
    hears,
  ),
  turns('messages[user].name', [{ role: 'user', content: 'Hello', name: 'ann' }], [hello]),
  beside('metadata', { store: false }, { metadata: { team: 'a' } }),
  field('modalities', { modalities: ['text', 'audio'], audio: { format: 'wav', voice: 'alloy' } }, hears),
  field('moderation', { moderation: { model: 'omni-moderation-latest' } }, whole),
  field('n', { n: 2 }),
  beside('parallel_tool_calls', { tools: [tool()] }, { parallel_tool_calls: false }),
  field('prediction.content', { prediction: { type: 'content', content: 'as before' } }),
  field('presence_penalty', { presence_penalty: 0.5 }),
  field('prompt_cache_key', { prompt_cache_key: 'k' }),
  field('prompt_cache_options.mode', { prompt_cache_options: { mode: 'explicit' } }),
  field('prompt_cache_options.ttl', { prompt_cache_options: { ttl: '30m' } }),
  field('prompt_cache_retention', { prompt_cache_retention: '24h' }),
  field('reasoning_effort', { reasoning_effort: 'low' }, { models: reasoningModels }),
  field('response_format[json_object]', {
    messages: [{ role: 'user', content: 'As JSON.' }],
    response_format: { type: 'json_object' },
  }),
  beside(
    'response_format[json_schema].json_schema.description',
    { response_format: format() },
    { response_format: format({ description: 'A city.' }) },
  ),
  beside(
    'response_format[json_schema].json_schema.name',
    { response_format: format() },
    { response_format: format({ name: 'town' }) },
    { silent: 'no other format has a name for it' },
  ),
  field('response_format[json_schema].json_schema.schema', { response_format: format() }),
  beside(
    'response_format[json_schema].json_schema.strict',
    { response_format: format() },
    { response_format: format({ strict: true }) },
    { silent: 'other vendors enforce every schema' },
  ),
  field('response_format[text]', { response_format: { type: 'text' } }, { silent: 'the usual format' }),
  field('safety_identifier', { safety_identifier: 'u-8' }),
  field('seed', { seed: 7 }),
  field('service_tier', { service_tier: 'flex' }),
  field('stop', { stop: ['END'] }),
  field('store', { store: true }),
  field('stream', { stream: true }),
  beside(
    'stream_options.include_obfuscation',
    { stream: true },
    { stream_options: { include_obfuscation: false } },
    {
      silent: 'padding of the GPT vendor’s own stream',
    },
  ),
  beside(
    'stream_options.include_usage',
    { stream: true },
    { stream_options: { include_usage: true } },
    {
      silent: 'the gateway writes the usage',
    },
  ),
  field('temperature', { temperature: 0.5 }),
  beside('tool_choice', { tools: [tool()] }, { tool_choice: 'required' }),
  beside(
    'tool_choice[allowed_tools].allowed_tools.mode',
    { tools: [tool(), tool({ name: 'time' })] },
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
  ),
  beside(
    'tool_choice[allowed_tools].allowed_tools.tools',
    { tools: [tool(), tool({ name: 'time' })] },
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
  ),
  field(
    'tool_choice[custom].custom.name',
    { tools: [custom()], tool_choice: { type: 'custom', custom: { name: 'patch' } } },
    { ...whole, namedAs: 'tools' },
  ),
  beside(
    'tool_choice[function].function.name',
    { tools: [tool(), tool({ name: 'time' })] },
    { tool_choice: { type: 'function', function: { name: 'time' } } },
  ),
  field(
    'tools[custom]',
    {
      tools: [
        custom({
          description: 'Patches.',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        }),
      ],
    },
    whole,
  ),
  beside('tools[function].function.description', { tools: [tool()] }, { tools: [tool({ description: 'It rains.' })] }),
  field('tools[function].function.name', { tools: [tool()] }),
  beside('tools[function].function.parameters', { tools: [tool()] }, { tools: [tool({ parameters: schema })] }),
  beside(
    'tools[function].function.strict',
    { tools: [tool({ parameters: { ...schema, additionalProperties: false } })] },
    {
      tools: [tool({ parameters: { ...schema, additionalProperties: false }, strict: true })],
    },
  ),
  beside('top_logprobs', { logprobs: true }, { top_logprobs: 2 }, { namedAs: 'logprobs' }),
  field('top_p', { top_p: 0.5 }),
  field('user', { user: 'u-7' }),
  field('verbosity', { verbosity: 'low' }, { models: reasoningModels }),
  field('web_search_options', { web_search_options: {} }, searches),
  beside(
    'web_search_options.search_context_size',
    { web_search_options: {} },
    { web_search_options: { search_context_size: 'low' } },
    searches,
  ),
  beside('web_search_options.user_location.approximate.city', search(), search({ city: 'Oslo' }), searches),
  beside('web_search_options.user_location.approximate.country', { web_search_options: {} }, search(), searches),
  beside('web_search_options.user_location.approximate.region', search(), search({ region: 'Oslo' }), searches),
  beside(
    'web_search_options.user_location.approximate.timezone',
    search(),
    search({ timezone: 'Europe/Oslo' }),
    searches,
  ),
];
