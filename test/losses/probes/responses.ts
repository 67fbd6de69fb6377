// Fields of the Responses API (SDK type `ResponseCreateParams` of the package openai).
import type OpenAI from 'openai';
import { type Probe, whole } from '../probe.ts';
import { beside, field, format, schema, thinks, tool } from './responses-base.ts';
import { responsesInputProbes } from './responses-input.ts';

const freeText = (fields: Partial<OpenAI.Responses.CustomTool> = {}): OpenAI.Responses.CustomTool => ({
  type: 'custom',
  name: 'patch',
  ...fields,
});
const group = (fields: object = {}, inner: object = {}): OpenAI.Responses.Tool =>
  ({
    type: 'namespace',
    name: 'town',
    description: 'Of a town.',
    tools: [tool(inner)],
    ...fields,
  }) as OpenAI.Responses.Tool;
const inTool = (path: string, fields: object) =>
  beside(`tools[function].${path}`, { tools: [tool()] }, { tools: [tool(fields)] });
const inFreeText = (path: string, fields: Partial<OpenAI.Responses.CustomTool>) =>
  beside(`tools[custom].${path}`, { tools: [freeText()] }, { tools: [freeText(fields)] });
const inGroup = (path: string, fields: object) =>
  beside(`tools[namespace].tools[function].${path}`, { tools: [group()] }, { tools: [group({}, fields)] });
/** A tool that the vendor runs or defines, offered beside one of the client's own. */
const own = (path: string, one: object): Probe =>
  beside(`tools[${path}]`, { tools: [tool()] }, { tools: [tool(), one as OpenAI.Responses.Tool] }, whole);
const choice = (fields: object) => ({ tool_choice: fields as OpenAI.Responses.ToolChoiceAllowed });
const two = { tools: [tool(), tool({ name: 'time' })] };

export const responsesProbes: readonly Probe[] = [
  ...responsesInputProbes,
  field('access_programs.cyber', { access_programs: { cyber: 'trusted_access' } as never }),
  field('background', { background: true }),
  field('context_management.compact_threshold', {
    context_management: [{ type: 'compaction', compact_threshold: 1000 }],
  }),
  field('conversation', { conversation: 'conv_1' }),
  field('conversation.id', { conversation: { id: 'conv_1' } }),
  field('image.context_compression', { image: { context_compression: 'enabled' } }),
  field('include', { include: ['message.output_text.logprobs'] }, { namedAs: 'top_logprobs' }),
  field('instructions', { instructions: 'Be brief.' }),
  field('max_output_tokens', { max_output_tokens: 100 }),
  field('max_tool_calls', { max_tool_calls: 2 }),
  field(
    'metadata',
    { metadata: { team: 'a' } },
    { silent: 'the response repeats it; vendors take it only to store it' },
  ),
  field('moderation', { moderation: { model: 'omni-moderation-latest' } as never }, whole),
  beside('parallel_tool_calls', { tools: [tool()] }, { parallel_tool_calls: false }),
  field('previous_response_id', { previous_response_id: 'resp_1' }),
  field('prompt', { prompt: { id: 'pmpt_1' } }, whole),
  field('prompt_cache_key', { prompt_cache_key: 'k' }),
  field('prompt_cache_options.mode', { prompt_cache_options: { mode: 'explicit' } as never }),
  field('prompt_cache_options.ttl', { prompt_cache_options: { ttl: '30m' } as never }),
  field('prompt_cache_options.prewarm', { prompt_cache_options: { prewarm: true } as never }),
  field('prompt_cache_options.comparison_response_id', {
    prompt_cache_options: { comparison_response_id: 'resp_1' } as never,
  }),
  field('prompt_cache_retention', { prompt_cache_retention: '24h' }),
  field('reasoning.context', { reasoning: { context: 'auto' } as never }, thinks),
  field('reasoning.effort', { reasoning: { effort: 'low' } }, thinks),
  field('reasoning.generate_summary', { reasoning: { generate_summary: 'auto' } }, thinks),
  field('reasoning.mode', { reasoning: { mode: 'pro' } as never }, thinks),
  field('reasoning.summary', { reasoning: { summary: 'auto' } }, thinks),
  field('safety_identifier', { safety_identifier: 'u-8' }),
  field('service_tier', { service_tier: 'flex' }),
  field('store', { store: true }, { silent: 'nothing is stored; the response says so' }),
  field('stream', { stream: true }),
  beside(
    'stream_options.include_obfuscation',
    { stream: true },
    { stream_options: { include_obfuscation: false } },
    { silent: 'the gateway writes the stream, without padding' },
  ),
  field('temperature', { temperature: 0.5 }),
  field('text.format[text]', { text: { format: { type: 'text' } } }, { silent: 'the usual format' }),
  field('text.format[json_object]', { input: 'As JSON.', text: { format: { type: 'json_object' } } }),
  field('text.format[json_schema].schema', { text: format() }),
  beside('text.format[json_schema].description', { text: format() }, { text: format({ description: 'A city.' }) }),
  beside(
    'text.format[json_schema].name',
    { text: format() },
    { text: format({ name: 'town' }) },
    { silent: 'no other format has a name for it' },
  ),
  beside(
    'text.format[json_schema].strict',
    { text: format() },
    { text: format({ strict: true }) },
    { silent: 'other vendors enforce every schema' },
  ),
  field('text.verbosity', { text: { verbosity: 'low' } }, thinks),
  beside('tool_choice[none]', { tools: [tool()] }, { tool_choice: 'none' }),
  beside('tool_choice', { tools: [tool()] }, { tool_choice: 'required' }),
  beside(
    'tool_choice[allowed_tools].mode',
    two,
    choice({ type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'time' }] }),
  ),
  beside(
    'tool_choice[allowed_tools].tools',
    two,
    choice({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'time' }] }),
  ),
  beside('tool_choice[custom].name', { tools: [freeText(), tool()] }, choice({ type: 'custom', name: 'patch' })),
  beside('tool_choice[function].name', two, choice({ type: 'function', name: 'time' })),
  beside(
    'tool_choice[code_interpreter|computer|computer_use|computer_use_preview|file_search|image_generation|mcp|web_search_preview|web_search_preview_2025_03_11]',
    { tools: [tool()] },
    choice({ type: 'web_search_preview' }),
    whole,
  ),
  beside(
    'tool_choice[programmatic_tool_calling]',
    { tools: [tool()] },
    choice({ type: 'programmatic_tool_calling' }),
    whole,
  ),
  beside('tool_choice[mcp]', { tools: [tool()] }, choice({ type: 'mcp', server_label: 's', name: 'a' }), whole),
  beside('tool_choice[apply_patch]', { tools: [tool()] }, choice({ type: 'apply_patch' }), whole),
  beside('tool_choice[shell]', { tools: [tool()] }, choice({ type: 'shell' }), whole),
  own('apply_patch', { type: 'apply_patch' }),
  own('code_interpreter', { type: 'code_interpreter', container: 'c_1' }),
  own('computer', { type: 'computer' }),
  own('computer_use_preview', {
    type: 'computer_use_preview',
    display_height: 1,
    display_width: 1,
    environment: 'browser',
  }),
  own('file_search', { type: 'file_search', vector_store_ids: ['vs_1'] }),
  own('image_generation', { type: 'image_generation' }),
  own('local_shell', { type: 'local_shell' }),
  own('mcp', { type: 'mcp', server_label: 's', server_url: 'https://example.com' }),
  own('programmatic_tool_calling', { type: 'programmatic_tool_calling' }),
  own('shell', { type: 'shell' }),
  own('tool_search', { type: 'tool_search' }),
  own('web_search_preview|web_search_preview_2025_03_11', { type: 'web_search_preview' }),
  own('web_search|web_search_2025_08_26', { type: 'web_search' }),
  inFreeText('allowed_callers', { allowed_callers: ['direct', 'programmatic'] }),
  inFreeText('async', { async: true } as object),
  inFreeText('defer_loading', { defer_loading: true }),
  inFreeText('description', { description: 'Patches.' }),
  inFreeText('format[grammar].definition', { format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }),
  inFreeText('format[grammar].syntax', { format: { type: 'grammar', syntax: 'regex', definition: 'a' } }),
  beside(
    'tools[custom].format[text]',
    { tools: [freeText()] },
    { tools: [freeText({ format: { type: 'text' } })] },
    { silent: 'the usual format' },
  ),
  field('tools[custom].name', { tools: [freeText()] }),
  inTool('allowed_callers', { allowed_callers: ['direct', 'programmatic'] }),
  inTool('async', { async: true }),
  inTool('defer_loading', { defer_loading: true }),
  inTool('description', { description: 'It rains.' }),
  field('tools[function].name', { tools: [tool()] }),
  inTool('output_schema', { output_schema: { type: 'object' } }),
  inTool('parameters', { parameters: { type: 'object', properties: { city: { type: 'string' } } } }),
  beside(
    'tools[function].strict',
    { tools: [tool({ parameters: schema })] },
    { tools: [tool({ parameters: schema, strict: true })] },
  ),
  beside('tools[namespace].description', { tools: [group()] }, { tools: [group({ description: 'Other.' })] }),
  beside('tools[namespace].name', { tools: [group()] }, { tools: [group({ name: 'other' })] }),
  field('tools[namespace].tools', { tools: [group()] }),
  inGroup('allowed_callers', { allowed_callers: ['direct', 'programmatic'] }),
  inGroup('async', { async: true }),
  inGroup('defer_loading', { defer_loading: true }),
  inGroup('description', { description: 'It rains.' }),
  inGroup('name', { name: 'time' }),
  inGroup('output_schema', { output_schema: { type: 'object' } }),
  inGroup('parameters', { parameters: { type: 'object', properties: { city: { type: 'string' } } } }),
  beside(
    'tools[namespace].tools[function].strict',
    { tools: [group({}, { parameters: schema })] },
    { tools: [group({}, { parameters: schema, strict: true })] },
  ),
  field('top_logprobs', { top_logprobs: 2 }),
  field('top_p', { top_p: 0.5 }),
  field('truncation', { truncation: 'auto' }),
  field('user', { user: 'u-7' }),
];
