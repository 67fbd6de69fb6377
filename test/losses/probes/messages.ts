// Fields of the Messages API (SDK type `MessageCreateParams` of @anthropic-ai/sdk).
import type Anthropic from '@anthropic-ai/sdk';
import { signatureFor } from '../../../simulator/assistant-provider/signature.ts';
import { png } from '../../support/png.ts';
import { type Notes, type Probe, probesOf, reasoningModels, whole } from '../probe.ts';

type Request = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'stream'> & { readonly stream?: boolean };
type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

const hello: Message = { role: 'user', content: 'Hello' };
const { field, beside } = probesOf<Request>({ max_tokens: 8000, messages: [hello] });

const turns = (path: string, one: readonly Message[], other: readonly Message[], notes?: Notes): Probe =>
  beside(path, { messages: [...other] }, { messages: [...one] }, notes);
/** Blocks of the user after a text. */
const blocks = (path: string, one: readonly Block[], other: readonly Block[] = [], notes?: Notes): Probe =>
  turns(
    `messages.content${path}`,
    [{ role: 'user', content: [text, ...one] }],
    [{ role: 'user', content: [text, ...other] }],
    notes,
  );
/** Blocks of the assistant in a conversation that continues. */
const replies = (path: string, one: readonly Block[], other: readonly Block[] = [], notes?: Notes): Probe =>
  turns(`messages.content${path}`, replied(one), replied(other), notes);
const replied = (content: readonly Block[]): Message[] => [
  hello,
  { role: 'assistant', content: [...content, { type: 'text', text: 'Hi' }] },
  hello,
];

const text: Block = { type: 'text', text: 'Hello' };
const mark = { cache_control: { type: 'ephemeral' as const } };
const marked = <B extends Block>(block: B): B => ({ ...block, ...mark });
const hour = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } };
const image: Anthropic.ImageBlockParam = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: png },
};
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
const pdf: Anthropic.Base64PDFSource = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQKJSVFT0YK' };
const file: Anthropic.DocumentBlockParam = { type: 'document', source: pdf };
const plain: Anthropic.PlainTextSource = { type: 'text', media_type: 'text/plain', data: 'It rains.' };
const found: Anthropic.SearchResultBlockParam = {
  type: 'search_result',
  title: 'Weather',
  source: 'https://example.com',
  content: [{ type: 'text', text: 'It rains.' }],
};
const cited = { citations: { enabled: true } };

const tool = (fields: Partial<Anthropic.Tool> = {}): Anthropic.Tool => ({
  name: 'weather',
  input_schema: { type: 'object' },
  ...fields,
});
const schema: Anthropic.Tool.InputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const call = (fields: Partial<Anthropic.ToolUseBlockParam> = {}): Anthropic.ToolUseBlockParam => ({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: {},
  ...fields,
});
const result = (fields: Partial<Anthropic.ToolResultBlockParam> = {}): Anthropic.ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: 'toolu_1',
  content: 'Rain.',
  ...fields,
});
const called = (
  callFields: Partial<Anthropic.ToolUseBlockParam> = {},
  resultFields: Partial<Anthropic.ToolResultBlockParam> = {},
): Message[] => [
  hello,
  { role: 'assistant', content: [call(callFields)] },
  { role: 'user', content: [result(resultFields)] },
];
const rain: Partial<Anthropic.ToolResultBlockParam> = { content: [{ type: 'text', text: 'Rain.' }] };
const calls = (path: string, fields: Partial<Anthropic.ToolUseBlockParam>, notes?: Notes): Probe =>
  turns(`messages.content[tool_use].${path}`, called(fields), called(), notes);
const results = (path: string, fields: Partial<Anthropic.ToolResultBlockParam>, notes?: Notes): Probe =>
  turns(`messages.content[tool_result].${path}`, called({}, fields), called(), notes);

/** A tool that the vendor runs or defines, offered beside one of the client's own. */
const own = (one: Anthropic.ToolUnion): Probe =>
  beside(`tools[${kinds(one)}]`, { tools: [tool()] }, { tools: [tool(), one] }, whole);
const kinds = ({ type }: Anthropic.ToolUnion) =>
  type?.startsWith('tool_search') === true ? `${type.replace(/_\d+$/, '')}|${type}` : type;
/** A block of a tool that the vendor ran. */
const ran = (block: Block): Probe => replies(`[${block.type}]`, [block], [], whole);

const thinks: Notes = { models: reasoningModels };
const adapts: Notes = {
  models: {
    ...reasoningModels,
    'assistant-provider': 'claude-opus-4-6',
    'managed-cloud-models': 'global.anthropic.claude-opus-4-6-v1',
  },
};
const thought: Anthropic.ThinkingBlockParam = {
  type: 'thinking',
  thinking: 'Hm.',
  signature: signatureFor('Hm.', 'Hm.'),
};
const enabled: Anthropic.ThinkingConfigEnabled = { type: 'enabled', budget_tokens: 2000 };

export const messagesProbes: readonly Probe[] = [
  field('cache_control.ttl', hour),
  field('cache_control', mark),
  field('container.id', { container: { id: 'container_1' } }),
  field('container.skills', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf', version: '1' }] } }, whole),
  field('diagnostics.previous_message_id', { diagnostics: { previous_message_id: 'msg_1' } }),
  field('inference_geo', { inference_geo: 'us' }),
  field('max_tokens', { max_tokens: 9000 }),
  turns(
    'messages.role',
    [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, hello],
    [{ role: 'user', content: 'a' }, { role: 'user', content: 'b' }, hello],
  ),
  turns('messages.content', [{ role: 'user', content: 'Bye' }], [hello]),
  blocks('[text].text', [{ type: 'text', text: 'More' }]),
  blocks('[document].cache_control', [marked(file)], [file]),
  blocks('[document].citations', [{ ...file, ...cited }], [file]),
  blocks('[document].context', [{ ...file, context: 'Of today.' }], [file]),
  blocks('[document].title', [{ ...file, title: 'Weather' }], [file]),
  blocks('[document].source[base64].data', [file]),
  blocks('[document].source[base64].media_type', [file]),
  blocks('[document].source[content].content', [
    { type: 'document', source: { type: 'content', content: 'It rains.' } },
  ]),
  blocks('[document].source[file].file_id', [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]),
  blocks('[document].source[text].data', [{ type: 'document', source: plain }]),
  blocks('[document].source[text].media_type', [{ type: 'document', source: plain }]),
  blocks('[document].source[url].url', [
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  ]),
  blocks('[image].cache_control', [marked(image)], [image]),
  blocks('[image].source[base64].data', [image]),
  blocks(
    '[image].source[base64].media_type',
    [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: jpeg } }],
    [image],
  ),
  blocks('[image].source[file].file_id', [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }]),
  blocks('[image].source[url].url', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]),
  blocks(
    '[image].transformations.oversized_image',
    [{ ...image, transformations: { oversized_image: 'reject' } as never }],
    [image],
  ),
  blocks('[search_result].cache_control', [marked(found)], [found]),
  blocks('[search_result].citations', [{ ...found, ...cited }], [found]),
  blocks('[search_result].content', [{ ...found, content: [{ type: 'text', text: 'Sun.' }] }], [found]),
  blocks('[search_result].source', [{ ...found, source: 'https://example.org' }], [found]),
  blocks('[search_result].title', [{ ...found, title: 'Sun' }], [found]),
  blocks('[container_upload]', [{ type: 'container_upload', file_id: 'file_1' }], [], whole),
  replies('[redacted_thinking].data', [{ type: 'redacted_thinking', data: 'cmVk' }], [], {
    ...thinks,
    namedAs: 'messages.content.thinking',
  }),
  replies('[thinking].signature', [thought], [{ ...thought, signature: '' }], thinks),
  replies('[thinking].thinking', [thought], [], thinks),
  calls('cache_control', mark),
  calls('caller', { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } }),
  turns('messages.content[tool_use].id', called({ id: 'toolu_2' }, { tool_use_id: 'toolu_2' }), called()),
  calls('input', { input: { city: 'Oslo' } }),
  calls('name', { name: 'time' }),
  calls('toolset_name', { toolset_name: 'browser' }),
  results('cache_control', mark),
  results('content', { content: 'Sun.' }),
  turns(
    'messages.content[tool_result].content[browser_state]',
    called(
      {},
      {
        content: [
          { type: 'text', text: 'Rain.' },
          {
            type: 'browser_state',
            tabs: [{ tab_id: 1, title: 'a', url: 'https://example.com', active: true }],
          } as never,
        ],
      },
    ),
    called({}, rain),
    whole,
  ),
  turns(
    'messages.content[tool_result].content[tool_reference]',
    called(
      {},
      {
        content: [
          { type: 'text', text: 'Rain.' },
          { type: 'tool_reference', tool_name: 'weather' },
        ],
      },
    ),
    called({}, rain),
    whole,
  ),
  results('is_error', { is_error: true }),
  turns('messages.content[tool_result].tool_use_id', called({ id: 'toolu_2' }, { tool_use_id: 'toolu_2' }), called()),
  results('toolset_name', { toolset_name: 'browser' }),
  ran({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } }),
  ran({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
  ran({
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
  }),
  ran({
    type: 'code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'code_execution_tool_result_error', error_code: 'unavailable' },
  }),
  ran({
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'bash_code_execution_tool_result_error', error_code: 'unavailable' },
  }),
  ran({
    type: 'text_editor_code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'text_editor_code_execution_tool_result_error', error_code: 'unavailable' },
  }),
  ran({
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'tool_search_tool_search_result', tool_references: [] },
  }),
  field('metadata.user_id', { metadata: { user_id: 'u-7' } }),
  field(
    'output_config.effort',
    { output_config: { effort: 'low' } },
    {
      models: {
        ...reasoningModels,
        'assistant-provider': 'claude-opus-4-5',
        'managed-cloud-models': 'us.anthropic.claude-opus-4-5-20251101-v1:0',
      },
    },
  ),
  field('output_config.format.schema', {
    output_config: { format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } } },
  }),
  field('service_tier', { service_tier: 'standard_only' }, { silent: 'it is the usual tier there' }),
  field('speed', { speed: 'fast' as never }),
  field('stop_sequences', { stop_sequences: ['END'] }),
  field('stream', { stream: true }),
  field('system.text', { system: [{ type: 'text', text: 'Be brief.' }] }),
  beside(
    'system.cache_control',
    { system: [{ type: 'text', text: 'Be brief.' }] },
    { system: [{ type: 'text', text: 'Be brief.', ...mark }] },
    { namedAs: 'messages.content.cache_control' },
  ),
  beside(
    'system.citations',
    { system: [{ type: 'text', text: 'Be brief.' }] },
    {
      system: [
        {
          type: 'text',
          text: 'Be brief.',
          citations: [
            {
              type: 'char_location',
              cited_text: 'a',
              document_index: 0,
              document_title: 'b',
              start_char_index: 0,
              end_char_index: 1,
            },
          ],
        },
      ],
    },
    whole,
  ),
  replies(
    '[text].citations',
    [
      {
        type: 'text',
        text: 'It rains.',
        citations: [
          {
            type: 'char_location',
            cited_text: 'a',
            document_index: 0,
            document_title: 'b',
            start_char_index: 0,
            end_char_index: 1,
          },
        ],
      },
    ],
    [{ type: 'text', text: 'It rains.' }],
    whole,
  ),
  field('thinking[adaptive]', { thinking: { type: 'adaptive' } }, adapts),
  beside(
    'thinking[adaptive].display',
    { thinking: { type: 'adaptive' } },
    { thinking: { type: 'adaptive', display: 'omitted' } },
    adapts,
  ),
  field('thinking[between_tools]', { thinking: { type: 'between_tools' } as never }, adapts),
  field(
    'thinking[disabled]',
    { thinking: { type: 'disabled' } },
    { ...thinks, silent: 'a model that thinks only if it has a budget' },
  ),
  field('thinking[enabled].budget_tokens', { thinking: enabled }, thinks),
  beside('thinking[enabled].display', { thinking: enabled }, { thinking: { ...enabled, display: 'omitted' } }, thinks),
  beside(
    'tool_choice[any].disable_parallel_tool_use',
    { tools: [tool()], tool_choice: { type: 'any' } },
    { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
  ),
  beside(
    'tool_choice[auto].disable_parallel_tool_use',
    { tools: [tool()], tool_choice: { type: 'auto' } },
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  ),
  beside('tool_choice[none]', { tools: [tool()] }, { tool_choice: { type: 'none' } }),
  beside('tool_choice[any]', { tools: [tool()] }, { tool_choice: { type: 'any' } }),
  beside(
    'tool_choice[tool].disable_parallel_tool_use',
    { tools: [tool()], tool_choice: { type: 'tool', name: 'weather' } },
    { tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
  ),
  beside(
    'tool_choice[tool].name',
    { tools: [tool(), tool({ name: 'time' })] },
    { tool_choice: { type: 'tool', name: 'time' } },
  ),
  own({ type: 'bash_20250124', name: 'bash' }),
  own({ type: 'text_editor_20250124', name: 'str_replace_editor' }),
  own({ type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' }),
  own({ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }),
  own({ type: 'memory_20250818', name: 'memory' }),
  own({ type: 'browser_toolset_20260801' }),
  own({ type: 'computer_toolset_20260801' }),
  own({ type: 'code_execution_20250522', name: 'code_execution' }),
  own({ type: 'code_execution_20250825', name: 'code_execution' }),
  own({ type: 'code_execution_20260120', name: 'code_execution' }),
  own({ type: 'code_execution_20260521', name: 'code_execution' }),
  own({ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }),
  own({ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }),
  own({ type: 'web_fetch_20250910', name: 'web_fetch' }),
  own({ type: 'web_fetch_20260209', name: 'web_fetch' }),
  own({ type: 'web_fetch_20260309', name: 'web_fetch' }),
  own({ type: 'web_fetch_20260318', name: 'web_fetch' }),
  own({ type: 'web_search_20250305', name: 'web_search' }),
  own({ type: 'web_search_20260209', name: 'web_search' }),
  own({ type: 'web_search_20260318', name: 'web_search' }),
  beside(
    'tools[custom].allowed_callers',
    { tools: [tool()] },
    { tools: [tool({ allowed_callers: ['direct', 'code_execution_20260120'] })] },
  ),
  beside('tools[custom].cache_control', { tools: [tool()] }, { tools: [tool(mark)] }),
  beside('tools[custom].defer_loading', { tools: [tool()] }, { tools: [tool({ defer_loading: true })] }),
  beside('tools[custom].description', { tools: [tool()] }, { tools: [tool({ description: 'It rains.' })] }),
  beside(
    'tools[custom].eager_input_streaming',
    { tools: [tool()] },
    { tools: [tool({ eager_input_streaming: true })] },
  ),
  beside(
    'tools[custom].input_examples',
    { tools: [tool()] },
    { tools: [tool({ input_examples: [{ city: 'Oslo' }] })] },
  ),
  beside('tools[custom].input_schema.properties', { tools: [tool()] }, { tools: [tool({ input_schema: schema })] }),
  beside(
    'tools[custom].input_schema.required',
    { tools: [tool({ input_schema: schema })] },
    { tools: [tool({ input_schema: { ...schema, required: ['city'] } })] },
  ),
  field('tools[custom].name', { tools: [tool()] }),
  beside(
    'tools[custom].strict',
    { tools: [tool({ input_schema: { ...schema, additionalProperties: false } })] },
    { tools: [tool({ input_schema: { ...schema, additionalProperties: false }, strict: true })] },
  ),
];
