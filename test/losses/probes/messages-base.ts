// What the probes of the Messages API share: the smallest request, blocks, calls, tools.
import type Anthropic from '@anthropic-ai/sdk';
import { signatureFor } from '../../../simulator/assistant-provider/signature.ts';
import { png } from '../../support/png.ts';
import { type Notes, type Probe, probesOf, reasoningModels, whole } from '../probe.ts';

export type Request = Omit<Anthropic.Beta.MessageCreateParamsNonStreaming, 'model' | 'stream'> & {
  readonly stream?: boolean;
};
export type Message = Anthropic.Beta.BetaMessageParam;
export type Block = Anthropic.Beta.BetaContentBlockParam;

export const hello: Message = { role: 'user', content: 'Hello' };
export const { field, beside } = probesOf<Request>({ max_tokens: 8000, messages: [hello] });

export const turns = (path: string, one: readonly Message[], other: readonly Message[], notes?: Notes): Probe =>
  beside(path, { messages: [...other] }, { messages: [...one] }, notes);
/** Blocks of the user after a text. */
export const blocks = (path: string, one: readonly Block[], other: readonly Block[] = [], notes?: Notes): Probe =>
  turns(
    `messages.content${path}`,
    [{ role: 'user', content: [text, ...one] }],
    [{ role: 'user', content: [text, ...other] }],
    notes,
  );
/** Blocks of the assistant in a conversation that continues. */
export const replies = (path: string, one: readonly Block[], other: readonly Block[] = [], notes?: Notes): Probe =>
  turns(`messages.content${path}`, replied(one), replied(other), notes);
export const replied = (content: readonly Block[]): Message[] => [
  hello,
  { role: 'assistant', content: [...content, { type: 'text', text: 'Hi' }] },
  hello,
];

export const text: Block = { type: 'text', text: 'Hello' };
export const mark = { cache_control: { type: 'ephemeral' as const } };
export const marked = <B extends Block>(block: B): B => ({ ...block, ...mark });
export const hour = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } };
export const image: Anthropic.ImageBlockParam = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: png },
};
export const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
export const pdf: Anthropic.Base64PDFSource = {
  type: 'base64',
  media_type: 'application/pdf',
  data: 'JVBERi0xLjQKJSVFT0YK',
};
export const file: Anthropic.DocumentBlockParam = { type: 'document', source: pdf };
export const plain: Anthropic.PlainTextSource = { type: 'text', media_type: 'text/plain', data: 'It rains.' };
export const found: Anthropic.SearchResultBlockParam = {
  type: 'search_result',
  title: 'Weather',
  source: 'https://example.com',
  content: [{ type: 'text', text: 'It rains.' }],
};
export const cited = { citations: { enabled: true } };

export const tool = (fields: Partial<Anthropic.Tool> = {}): Anthropic.Tool => ({
  name: 'weather',
  input_schema: { type: 'object' },
  ...fields,
});
export const schema: Anthropic.Tool.InputSchema = { type: 'object', properties: { city: { type: 'string' } } };
export const call = (fields: Partial<Anthropic.ToolUseBlockParam> = {}): Anthropic.ToolUseBlockParam => ({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: {},
  ...fields,
});
export const result = (fields: Partial<Anthropic.ToolResultBlockParam> = {}): Anthropic.ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: 'toolu_1',
  content: 'Rain.',
  ...fields,
});
export const called = (
  callFields: Partial<Anthropic.ToolUseBlockParam> = {},
  resultFields: Partial<Anthropic.ToolResultBlockParam> = {},
): Message[] => [
  hello,
  { role: 'assistant', content: [call(callFields)] },
  { role: 'user', content: [result(resultFields)] },
];
export const rain: Partial<Anthropic.ToolResultBlockParam> = { content: [{ type: 'text', text: 'Rain.' }] };
export const calls = (path: string, fields: Partial<Anthropic.ToolUseBlockParam>, notes?: Notes): Probe =>
  turns(`messages.content[tool_use].${path}`, called(fields), called(), notes);
export const results = (path: string, fields: Partial<Anthropic.ToolResultBlockParam>, notes?: Notes): Probe =>
  turns(`messages.content[tool_result].${path}`, called({}, fields), called(), notes);

/** A tool that the vendor runs or defines, offered beside one of the client's own. */
export const own = (one: Anthropic.Beta.BetaToolUnion): Probe =>
  beside(`tools[${kinds(one)}]`, { tools: [tool()] }, { tools: [tool(), one] }, whole);
export const kinds = ({ type }: Anthropic.Beta.BetaToolUnion) =>
  type?.startsWith('tool_search') === true ? `${type.replace(/_\d+$/, '')}|${type}` : type;
/** A block of a tool that the vendor ran. */
export const ran = (block: Block): Probe => replies(`[${block.type}]`, [block], [], whole);

export const thinks: Notes = { models: reasoningModels };
export const adapts: Notes = {
  models: {
    ...reasoningModels,
    'assistant-provider': 'claude-opus-4-6',
    'managed-cloud-models': 'global.anthropic.claude-opus-4-6-v1',
  },
};
export const thought: Anthropic.ThinkingBlockParam = {
  type: 'thinking',
  thinking: 'Hm.',
  signature: signatureFor('Hm.', 'Hm.'),
};
export const enabled: Anthropic.ThinkingConfigEnabled = { type: 'enabled', budget_tokens: 2000 };
