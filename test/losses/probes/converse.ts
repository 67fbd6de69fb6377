// Fields of Converse (SDK type `ConverseRequest` of @aws-sdk/client-bedrock-runtime).
import type {
  ContentBlock,
  ConverseRequest,
  DocumentBlock,
  GuardrailConverseContentBlock,
  ImageBlock,
  Message,
  SearchResultBlock,
  SystemContentBlock,
  Tool,
  ToolResultBlock,
  ToolResultContentBlock,
  ToolSpecification,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import { signatureFor } from '../../../simulator/assistant-provider/signature.ts';
import { png } from '../../support/png.ts';
import { type Models, type Notes, type Probe, probesOf, reasoningModels, whole } from '../probe.ts';

type Request = Omit<ConverseRequest, 'modelId'>;
type Schema = ToolSpecification['inputSchema'];

/** Bytes as the SDK writes them. */
const sent = (base64: string): Uint8Array =>
  Object.assign(new Uint8Array(Buffer.from(base64, 'base64')), { toJSON: () => base64 });
const utf8 = (value: string): Uint8Array => sent(Buffer.from(value).toString('base64'));

const text: ContentBlock = { text: 'Hello' };
const hello: Message = { role: 'user', content: [text] };
const { field, beside } = probesOf<Request>({ messages: [hello] });

const turns = (path: string, one: readonly Message[], other: readonly Message[], notes?: Notes): Probe =>
  beside(path, { messages: [...other] }, { messages: [...one] }, notes);
/** Blocks of the user after a text. */
const blocks = (
  path: string,
  one: readonly ContentBlock[],
  other: readonly ContentBlock[] = [],
  notes?: Notes,
): Probe =>
  turns(
    `messages.content.${path}`,
    [{ role: 'user', content: [text, ...one] }],
    [{ role: 'user', content: [text, ...other] }],
    notes,
  );
/** Blocks of the assistant in a conversation that continues. */
const replies = (
  path: string,
  one: readonly ContentBlock[],
  other: readonly ContentBlock[] = [],
  notes?: Notes,
): Probe => turns(`messages.content.${path}`, replied(one), replied(other), notes);
const replied = (content: readonly ContentBlock[]): Message[] => [
  hello,
  { role: 'assistant', content: [...content, { text: 'Hi' }] },
  hello,
];

const cachePoint = { cachePoint: { type: 'default' as const } };
const hour = { cachePoint: { type: 'default' as const, ttl: '1h' as const } };
const s3Location = { uri: 's3://bucket/key' };
const inStore = { source: { s3Location } };

const image: ImageBlock = { format: 'png', source: { bytes: sent(png) } };
const jpeg = 'ffd8ffe000104a46494600010100000100010000ffd9';
const file: DocumentBlock = { format: 'pdf', name: 'Weather', source: { bytes: utf8('%PDF-1.4\n%%EOF\n') } };
const plain: DocumentBlock = { format: 'txt', name: 'Weather', source: { text: 'It rains.' } };
const found: SearchResultBlock = { title: 'Weather', source: 'https://example.com', content: [{ text: 'It rains.' }] };
const cited = { citations: { enabled: true } };
const video = { format: 'mp4' as const, source: { bytes: utf8('moving') } };
const audio = { format: 'wav' as const, source: { bytes: utf8('RIFF') } };
const guarded: GuardrailConverseContentBlock = { text: { text: 'Hello' } };

/** Every document has a name, and some vendors have none for it. */
const named: Notes = { namedAs: 'messages.content.document.name' };
const documents = (path: string, one: DocumentBlock, other?: DocumentBlock, notes?: Notes): Probe =>
  blocks(`document.${path}`, [{ document: one }], other && [{ document: other }], notes);

const system = (
  path: string,
  one: readonly SystemContentBlock[],
  other: readonly SystemContentBlock[],
  notes?: Notes,
): Probe => beside(`system.${path}`, { system: [...other] }, { system: [...one] }, notes);
/** Its marks are marks of messages inside. */
const marked: Notes = { namedAs: 'messages.content.cachePoint' };
const brief: SystemContentBlock = { text: 'Be brief.' };

const json: Schema = { json: { type: 'object' } };
const spec = (fields: Partial<ToolSpecification> = {}): Tool => ({
  toolSpec: { name: 'weather', inputSchema: json, ...fields },
});
const config = (...tools: readonly Tool[]): Request => ({ toolConfig: { tools: [...tools] } });
const specs = (path: string, one: Partial<ToolSpecification>, other: Partial<ToolSpecification> = {}): Probe =>
  beside(`toolConfig.tools.toolSpec.${path}`, config(spec(other)), config(spec(one)));
const schema: Schema = {
  json: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
};
const choices = (path: string, toolChoice: NonNullable<Request['toolConfig']>['toolChoice']): Probe => {
  const tools = [spec(), spec({ name: 'time' })];
  return beside(`toolConfig.toolChoice.${path}`, config(...tools), { toolConfig: { tools, toolChoice } });
};

const called = (call: Partial<ToolUseBlock> = {}, result: Partial<ToolResultBlock> = {}): Message[] => [
  hello,
  { role: 'assistant', content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: {}, ...call } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'Rain.' }], ...result } }] },
];
const renamed = called({ toolUseId: 'tooluse_2' }, { toolUseId: 'tooluse_2' });
const calls = (path: string, fields: Partial<ToolUseBlock>): Probe =>
  turns(`messages.content.toolUse.${path}`, called(fields), called());
const results = (path: string, fields: Partial<ToolResultBlock>): Probe =>
  turns(`messages.content.toolResult.${path}`, called({}, fields), called());
const resultParts = (path: string, part: ToolResultContentBlock, notes?: Notes): Probe =>
  turns(
    `messages.content.toolResult.content.${path}`,
    called({}, { content: [{ text: 'Rain.' }, part] }),
    called(),
    notes,
  );

const thinks: Notes = { models: reasoningModels };
const withCloud = (model: string, others: Models = reasoningModels): Notes => ({
  models: { ...others, 'managed-cloud-models': model },
});
const nova = withCloud('us.amazon.nova-2-lite-v1:0');
const signed = (fields: { text?: string; signature?: string } = {}): ContentBlock => ({
  reasoningContent: { reasoningText: { text: 'Hm.', signature: signatureFor('Hm.', 'Hm.'), ...fields } },
});

type Fields = Request['additionalModelRequestFields'];
const ownPath = 'additionalModelRequestFields';
const own = (path: string, fields: Fields, notes?: Notes): Probe =>
  field(`${ownPath}.${path}`, { additionalModelRequestFields: fields }, notes);

const structured = (fields: object = {}): Request => ({
  outputConfig: {
    textFormat: {
      type: 'json_schema',
      structure: { jsonSchema: { schema: JSON.stringify(schema?.json), ...fields } },
    },
  },
});

export const converseProbes: readonly Probe[] = [
  field(
    'additionalModelRequestFields',
    { additionalModelRequestFields: { anthropic_beta: ['context-1m-2025-08-07'] } },
    {
      namedAs: 'additionalModelRequestFields.anthropic_beta',
    },
  ),
  own('container', { container: 'container_1' }),
  own('mcp_servers', { mcp_servers: [{ type: 'url', name: 'a', url: 'https://example.com' }] }),
  own('thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }, thinks),
  own(
    'reasoning_config',
    { reasoning_config: { type: 'enabled', budget_tokens: 2000 } },
    { ...thinks, namedAs: `${ownPath}.thinking` },
  ),
  own('reasoningConfig', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }, nova),
  own('reasoning_effort', { reasoning_effort: 'low' }, withCloud('openai.gpt-oss-120b-1:0')),
  own(
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
  own('output_config.format', { output_config: { format: { type: 'json_schema', schema: schema?.json ?? {} } } }),
  own('top_k', { top_k: 40 }),
  own('k', { k: 40 }, { ...withCloud('cohere.command-r-v1:0', {}), namedAs: `${ownPath}.top_k` }),
  own('inferenceConfig.topK', { inferenceConfig: { topK: 40 } }, { ...nova, namedAs: `${ownPath}.top_k` }),
  own('inferenceConfig.maxTokens', { inferenceConfig: { maxTokens: 9 } }, nova),
  beside('additionalModelRequestFields.tool_choice', config(spec()), {
    additionalModelRequestFields: { tool_choice: { type: 'none' } },
  }),
  beside('additionalModelRequestFields.tool_choice.disable_parallel_tool_use', config(spec()), {
    additionalModelRequestFields: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  }),
  own('tools', { tools: [{ type: 'bash_20250124', name: 'bash' }] }),
  field('additionalModelResponseFieldPaths', { additionalModelResponseFieldPaths: ['/stop_sequence'] }),
  field('guardrailConfig', { guardrailConfig: { guardrailIdentifier: 'g1', guardrailVersion: '1' } }, whole),
  field('inferenceConfig.maxTokens', { inferenceConfig: { maxTokens: 9000 } }),
  field('inferenceConfig.stopSequences', { inferenceConfig: { stopSequences: ['END'] } }),
  field('inferenceConfig.temperature', { inferenceConfig: { temperature: 0.5 } }),
  field('inferenceConfig.topP', { inferenceConfig: { topP: 0.5 } }),
  turns(
    'messages.role',
    [{ role: 'user', content: [text] }, { role: 'assistant', content: [text] }, hello],
    [{ role: 'user', content: [text] }, { role: 'user', content: [text] }, hello],
  ),
  turns('messages[system].content.text', [hello, { role: 'system', content: [brief as ContentBlock] }], [hello], {
    namedAs: 'messages.role',
  }),
  blocks('text', [{ text: 'More' }]),
  blocks('audio.format', [{ audio: { ...audio, format: 'mp3' } }], [{ audio }]),
  blocks('audio.source.bytes', [{ audio }]),
  blocks('audio.source.s3Location', [{ audio: { ...audio, ...inStore } }], [], whole),
  turns('messages[assistant].content.audio', replied([{ audio }]), replied([]), whole),
  blocks('audio.error', [{ audio: { ...audio, error: { message: 'broken' } } }], [{ audio }], whole),
  blocks('cachePoint', [cachePoint]),
  blocks('cachePoint.ttl', [hour], [cachePoint]),
  replies(
    'citationsContent.citations',
    [{ citationsContent: { content: [{ text: 'a' }], citations: [{ title: 'a' }] } }],
    [{ citationsContent: { content: [{ text: 'a' }] } }],
    whole,
  ),
  replies('citationsContent.content.text', [{ citationsContent: { content: [{ text: 'a' }] } }]),
  documents('citations.enabled', { ...file, ...cited }, file),
  documents('context', { ...file, context: 'Of today.' }, file),
  documents('format', { ...file, format: 'docx', source: { bytes: utf8('PK\x03\x04') } }, file),
  documents('name', { ...file, name: 'Sun' }, file),
  documents('source.bytes', file, undefined, named),
  documents('source.content.text', { ...plain, source: { content: [{ text: 'It rains.' }] } }),
  documents('source.s3Location', { ...file, ...inStore }),
  documents('source.text', plain),
  blocks('guardContent', [{ guardContent: guarded }]),
  blocks(
    'image.format',
    [{ image: { format: 'jpeg', source: { bytes: sent(Buffer.from(jpeg, 'hex').toString('base64')) } } }],
    [{ image }],
  ),
  blocks('image.source.bytes', [{ image }]),
  blocks('image.source.s3Location', [{ image: { ...image, ...inStore } }]),
  turns('messages[assistant].content.image', replied([{ image }]), replied([])),
  blocks('image.error', [{ image: { ...image, error: { message: 'broken' } } }], [{ image }]),
  replies('reasoningContent.reasoningText.signature', [signed()], [signed({ signature: '' })], thinks),
  replies('reasoningContent.reasoningText.text', [signed()], [], thinks),
  replies('reasoningContent.redactedContent', [{ reasoningContent: { redactedContent: utf8('red') } }], [], thinks),
  blocks('searchResult.citations', [{ searchResult: { ...found, ...cited } }], [{ searchResult: found }]),
  blocks('searchResult.content.text', [{ searchResult: found }]),
  blocks(
    'searchResult.source',
    [{ searchResult: { ...found, source: 'https://example.org' } }],
    [{ searchResult: found }],
  ),
  blocks('searchResult.title', [{ searchResult: { ...found, title: 'Sun' } }], [{ searchResult: found }]),
  turns(
    'messages.content.toolAddition',
    [hello, { role: 'system', content: [{ text: 'a' }, { toolAddition: { tool: { name: 'weather' } } }] }],
    [hello, { role: 'system', content: [{ text: 'a' }] }],
    whole,
  ),
  turns(
    'messages.content.toolRemoval',
    [hello, { role: 'system', content: [{ text: 'a' }, { toolRemoval: { tool: { name: 'weather' } } }] }],
    [hello, { role: 'system', content: [{ text: 'a' }] }],
    whole,
  ),
  resultParts('document', { document: file }, named),
  resultParts('image', { image }),
  resultParts('image.source.s3Location', { image: { ...image, ...inStore } }),
  resultParts('json', { json: { rain: true } }),
  resultParts('searchResult', { searchResult: found }),
  resultParts('text', { text: 'Sun.' }),
  resultParts('video', { video }),
  results('status', { status: 'error' }),
  results('type', { type: 'nova_grounding' }),
  turns('messages.content.toolResult.toolUseId', renamed, called()),
  calls('input', { input: { city: 'Oslo' } }),
  calls('name', { name: 'time' }),
  calls('type', { type: 'server_tool_use' }),
  turns('messages.content.toolUse.toolUseId', renamed, called()),
  blocks('video.format', [{ video: { ...video, format: 'webm' } }], [{ video }]),
  blocks('video.source.bytes', [{ video }]),
  blocks('video.source.s3Location', [{ video: { ...video, ...inStore } }]),
  field('outputConfig.effort', { outputConfig: { effort: 'low' } }, thinks),
  beside(
    'outputConfig.textFormat.structure.jsonSchema.description',
    structured(),
    structured({ description: 'A city.' }),
  ),
  beside('outputConfig.textFormat.structure.jsonSchema.name', structured(), structured({ name: 'city' }), {
    silent: 'no other format has a name for it',
  }),
  beside('outputConfig.textFormat.structure.jsonSchema.schema', {}, structured()),
  field('performanceConfig.latency', { performanceConfig: { latency: 'optimized' } }),
  field('promptVariables', { promptVariables: { city: { text: 'Oslo' } } }),
  field('requestMetadata', { requestMetadata: { team: 'a' } }),
  field('serviceTier', { serviceTier: { type: 'flex' } }),
  field('serviceTier[reserved]', { serviceTier: { type: 'reserved' } }),
  system('cachePoint', [brief, cachePoint], [brief], marked),
  system('cachePoint.ttl', [brief, hour], [brief, cachePoint], marked),
  system(
    'guardContent.image.format',
    [brief, { guardContent: { image: guardImage('jpeg') } }],
    [brief, { guardContent: { image: guardImage('png') } }],
  ),
  system('guardContent.image.source.bytes', [brief, { guardContent: { image: guardImage('png') } }], [brief]),
  system(
    'guardContent.text.qualifiers',
    [brief, { guardContent: { text: { text: 'a', qualifiers: ['query'] } } }],
    [brief, { guardContent: { text: { text: 'a' } } }],
  ),
  system('guardContent.text.text', [brief, { guardContent: { text: { text: 'a' } } }], [brief]),
  beside('system.text', {}, { system: [brief] }),
  choices('any', { any: {} }),
  choices('auto', { auto: {} }),
  choices('tool.name', { tool: { name: 'time' } }),
  beside('toolConfig.tools.cachePoint', config(spec()), config(spec(), cachePoint)),
  beside('toolConfig.tools.cachePoint.ttl', config(spec(), cachePoint), config(spec(), hour)),
  beside(
    'toolConfig.tools.systemTool.name',
    config(spec()),
    config(spec(), { systemTool: { name: 'nova_grounding' } }),
  ),
  specs('description', { description: 'It rains.' }),
  specs('inputSchema.json', { inputSchema: schema }),
  beside('toolConfig.tools.toolSpec.name', {}, config(spec())),
  specs('strict', { inputSchema: schema, strict: true }, { inputSchema: schema }),
];

function guardImage(format: 'png' | 'jpeg') {
  const base64 = format === 'png' ? png : Buffer.from(jpeg, 'hex').toString('base64');
  return { format, source: { bytes: sent(base64) } };
}
