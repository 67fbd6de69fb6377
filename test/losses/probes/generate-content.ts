// Fields of generateContent's body in v1beta (SDK types `Content`, `GenerationConfig`, `Tool`… of @google/genai).
import type * as genai from '@google/genai';
import { png } from '../../support/png.ts';
import { type Notes, type Probe, probesOf, whole } from '../probe.ts';
import type { GenerateContent } from '../sdk-requests.ts';

type Request = GenerateContent & { readonly stream?: boolean };
type Config = genai.GenerationConfig;

const hello: genai.Content = { role: 'user', parts: [{ text: 'Hello' }] };
const { field, beside } = probesOf<Request>({ contents: [hello] });

const config = (path: string, fields: Config, others: Config = {}, notes?: Notes): Probe =>
  beside(
    `generationConfig.${path}`,
    { generationConfig: others },
    { generationConfig: { ...others, ...fields } },
    notes,
  );
const json: Config = { responseMimeType: 'application/json' };
const schema = (path: string, fields: object, other: object = { type: 'STRING' }, notes?: Notes): Probe =>
  config(`responseSchema.${path}`, inObject({ ...other, ...fields }), inObject(other), notes);
const inObject = (city: object): Config => ({
  ...json,
  responseSchema: { type: 'OBJECT', properties: { city }, required: ['city'] } as genai.Schema,
});
const contents = (path: string, one: readonly genai.Content[], other: readonly genai.Content[], notes?: Notes): Probe =>
  beside(path, { contents: [...other] }, { contents: [...one] }, notes);
const parts = (path: string, one: readonly genai.Part[], other: readonly genai.Part[] = [], notes?: Notes): Probe =>
  contents(
    `contents.parts.${path}`,
    [{ role: 'user', parts: [text, ...one] }],
    [{ role: 'user', parts: [text, ...other] }],
    notes,
  );
const replies = (path: string, one: readonly genai.Part[], other: readonly genai.Part[] = [], notes?: Notes): Probe =>
  contents(`contents.parts.${path}`, replied(one), replied(other), notes);
const replied = (one: readonly genai.Part[]): genai.Content[] => [
  hello,
  { role: 'model', parts: [...one, { text: 'Hi' }] },
  hello,
];
const text: genai.Part = { text: 'Hello' };
const image: genai.Part = { inlineData: { mimeType: 'image/png', data: png } };
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
const pdf = { mimeType: 'application/pdf', data: 'JVBERi0xLjQKJSVFT0YK' };

const called = (call: genai.FunctionCall = {}, response: genai.FunctionResponse = {}): genai.Content[] => [
  hello,
  { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: {}, ...call } }] },
  {
    role: 'user',
    parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { result: 'Rain.' }, ...response } }],
  },
];
const calls = (path: string, fields: genai.FunctionCall, notes?: Notes): Probe =>
  contents(`contents.parts.functionCall.${path}`, called(fields), called(), notes);
const results = (
  path: string,
  fields: genai.FunctionResponse,
  other: genai.FunctionResponse = {},
  notes?: Notes,
): Probe => contents(`contents.parts.functionResponse.${path}`, called({}, fields), called({}, other), notes);

const declared = (fields: object = {}): genai.Tool => ({ functionDeclarations: [{ name: 'weather', ...fields }] });
const inFunction = (path: string, fields: object, other: object = {}, notes?: Notes): Probe =>
  beside(
    `tools.functionDeclarations.${path}`,
    { tools: [declared(other)] },
    { tools: [declared({ ...other, ...fields })] },
    notes,
  );
const calling = (fields: object): Partial<Request> => ({
  toolConfig: { functionCallingConfig: fields as genai.FunctionCallingConfig },
});
const two: Partial<Request> = { tools: [{ functionDeclarations: [{ name: 'weather' }, { name: 'time' }] }] };
/** A tool that the vendor runs, offered beside one of the client's own. */
const own = (name: string, value: object): Probe =>
  beside(`tools.${name}`, { tools: [declared()] }, { tools: [declared(), { [name]: value }] }, whole);

export const generateContentProbes: readonly Probe[] = [
  field('cachedContent', { cachedContent: 'cachedContents/1' }),
  contents(
    'contents.role',
    [{ role: 'user', parts: [text] }, { role: 'model', parts: [text] }, hello],
    [{ role: 'user', parts: [text] }, { role: 'user', parts: [text] }, hello],
  ),
  parts('text', [{ text: 'More' }]),
  parts('audioTranscription', [{ audioTranscription: { text: 'a' } } as genai.Part], [], whole),
  replies('codeExecutionResult', [{ codeExecutionResult: { outcome: 'OUTCOME_OK' as never, output: 'a' } }], [], whole),
  replies('executableCode', [{ executableCode: { code: 'a', language: 'PYTHON' as never } }], [], whole),
  replies('toolCall', [{ toolCall: { id: 't1' } } as genai.Part], [], whole),
  replies('toolResponse', [{ toolResponse: { id: 't1' } } as genai.Part], [], whole),
  parts('fileData', [{ fileData: { fileUri: 'https://example.com/files/1', mimeType: 'image/png' } }], [], whole),
  calls('args', { args: { city: 'Oslo' } }),
  contents('contents.parts.functionCall.id', called({ id: 'c2' }, { id: 'c2' }), called()),
  contents('contents.parts.functionCall.name', called({ name: 'time' }, { name: 'time' }), called()),
  calls('partialArgs', { partialArgs: [{ jsonPath: '$.city', stringValue: 'Oslo' }] } as never, whole),
  calls('willContinue', { willContinue: true } as never),
  contents('contents.parts.functionResponse.id', called({ id: 'c2' }, { id: 'c2' }), called()),
  contents('contents.parts.functionResponse.name', called({ name: 'time' }, { name: 'time' }), called()),
  results('response', { response: { result: 'Sun.' } }),
  results('parts.inlineData.data', { parts: [{ inlineData: { mimeType: 'image/png', data: png } }] }),
  results(
    'parts.inlineData.mimeType',
    { parts: [{ inlineData: { mimeType: 'image/jpeg', data: jpeg } }] },
    { parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
  ),
  results(
    'parts.inlineData.displayName',
    { parts: [{ inlineData: { ...pdf, displayName: 'a.pdf' } }] },
    { parts: [{ inlineData: pdf }] },
  ),
  results(
    'parts.fileData',
    { parts: [{ fileData: { fileUri: 'https://example.com/files/1', mimeType: 'image/png' } }] },
    {},
    whole,
  ),
  results(
    'parts.mediaProcessing',
    { parts: [{ ...image, mediaProcessing: 'a' } as never] },
    { parts: [image as never] },
  ),
  results('scheduling', { scheduling: 'SILENT' as never }),
  results('willContinue', { willContinue: true }),
  parts('inlineData.data', [image]),
  parts('inlineData.mimeType', [{ inlineData: { mimeType: 'image/jpeg', data: jpeg } }], [image]),
  parts('inlineData.displayName', [{ inlineData: { ...pdf, displayName: 'a.pdf' } }], [{ inlineData: pdf }]),
  parts('mediaProcessing', [{ ...image, mediaProcessing: 'a' } as never], [image]),
  parts('mediaResolution.level', [{ ...image, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' as never } }], [image]),
  parts('mediaResolution.numTokens', [{ ...image, mediaResolution: { numTokens: 64 } }], [image]),
  parts('partMetadata', [{ text: 'More', partMetadata: { a: 'b' } }], [{ text: 'More' }]),
  parts('speechMetadata', [{ text: 'More', speechMetadata: { speaker: 'a' } } as never], [{ text: 'More' }], whole),
  replies('thought', [{ text: 'Hm.', thought: true }], [{ text: 'Hm.' }]),
  replies('thoughtSignature', [{ text: 'Hm.', thoughtSignature: 'c2ln' }], [{ text: 'Hm.' }]),
  parts(
    'videoMetadata',
    [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' }, videoMetadata: { fps: 1 } }],
    [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }],
    whole,
  ),
  config('audioTimestamp', { audioTimestamp: true }),
  config('audioTranscriptionConfig', { audioTranscriptionConfig: {} } as Config, {}, whole),
  config('candidateCount', { candidateCount: 2 }),
  config('enableAffectiveDialog', { enableAffectiveDialog: true }),
  config('enableEnhancedCivicAnswers', { enableEnhancedCivicAnswers: true }),
  config('frequencyPenalty', { frequencyPenalty: 0.5 }),
  config('imageConfig', { imageConfig: { aspectRatio: '1:1' } } as Config, {}, whole),
  config('logprobs', { logprobs: 2 }, { responseLogprobs: true }),
  config('maxOutputTokens', { maxOutputTokens: 100 }),
  config('mediaResolution', { mediaResolution: 'MEDIA_RESOLUTION_LOW' as never }),
  config('modelSelectionConfig', { modelSelectionConfig: {} }, {}, whole),
  config('presencePenalty', { presencePenalty: 0.5 }),
  config('responseFormat.text.mimeType', { responseFormat: [{ text: { mimeType: 'APPLICATION_JSON' } }] } as never),
  config('responseFormat.text.schema', {
    responseFormat: [{ text: { mimeType: 'APPLICATION_JSON', schema: { type: 'object' } } }],
  } as never),
  config('responseFormat.audio', { responseFormat: [{ audio: {} }] } as never, {}, whole),
  config('responseFormat.image', { responseFormat: [{ image: {} }] } as never, {}, whole),
  config('responseFormat.video', { responseFormat: [{ video: {} }] } as never, {}, whole),
  config(
    'responseJsonSchema',
    {
      responseJsonSchema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
    json,
  ),
  config('responseLogprobs', { responseLogprobs: true }),
  config('responseMimeType', json),
  config('responseModalities', { responseModalities: ['TEXT', 'IMAGE'] as never }),
  config('routingConfig', { routingConfig: {} }, {}, whole),
  config('seed', { seed: 7 }),
  config('speechConfig', { speechConfig: { voiceConfig: {} } }, {}, whole),
  config('stopSequences', { stopSequences: ['END'] }),
  config('temperature', { temperature: 0.5 }),
  config('thinkingConfig.includeThoughts', { thinkingConfig: { includeThoughts: true } }),
  config(
    'thinkingConfig.thinkingBudget',
    { thinkingConfig: { thinkingBudget: 2000 } },
    {},
    { models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' } },
  ),
  config(
    'thinkingConfig.thinkingLevel',
    { thinkingConfig: { thinkingLevel: 'LOW' as never } },
    {},
    { models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' } },
  ),
  config('topK', { topK: 40 }),
  config('topP', { topP: 0.5 }),
  config('translationConfig', { translationConfig: {} } as Config, {}, whole),
  schema('type', { type: 'INTEGER' }),
  schema('anyOf', { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }, {}),
  schema('default', { default: 'Oslo' }),
  schema('description', { description: 'A city.' }),
  schema('enum', { enum: ['Oslo', 'Rome'] }),
  schema('example', { example: 'Oslo' }),
  schema('format', { format: 'date-time' }),
  schema('items', { items: { type: 'STRING' } }, { type: 'ARRAY' }),
  schema('maxItems', { maxItems: '3' }, { type: 'ARRAY', items: { type: 'STRING' } }),
  schema('maxLength', { maxLength: '3' }),
  schema('maxProperties', { maxProperties: '3' }, { type: 'OBJECT', properties: { a: { type: 'STRING' } } }),
  schema('maximum', { maximum: 3 }, { type: 'INTEGER' }),
  schema('minItems', { minItems: '1' }, { type: 'ARRAY', items: { type: 'STRING' } }),
  schema('minLength', { minLength: '1' }),
  schema('minProperties', { minProperties: '1' }, { type: 'OBJECT', properties: { a: { type: 'STRING' } } }),
  schema('minimum', { minimum: 1 }, { type: 'INTEGER' }),
  schema('nullable', { nullable: true }),
  schema('pattern', { pattern: '^O' }),
  schema('properties', { properties: { a: { type: 'STRING' } } }, { type: 'OBJECT' }),
  schema(
    'propertyOrdering',
    { propertyOrdering: ['b', 'a'] },
    { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } } },
  ),
  schema('required', { required: ['a'] }, { type: 'OBJECT', properties: { a: { type: 'STRING' } } }),
  schema('title', { title: 'City' }),
  field('labels', { labels: { team: 'a' } }),
  field('modelArmorConfig', { modelArmorConfig: { promptTemplateName: 'a' } }, whole),
  beside(
    'safetySettings.category',
    { safetySettings: [] },
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' as never, threshold: 'BLOCK_NONE' as never }] },
  ),
  beside(
    'safetySettings.threshold',
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' as never, threshold: 'BLOCK_NONE' as never }] },
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' as never, threshold: 'BLOCK_LOW_AND_ABOVE' as never }] },
  ),
  beside(
    'safetySettings.method',
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' as never, threshold: 'BLOCK_NONE' as never }] },
    {
      safetySettings: [
        {
          category: 'HARM_CATEGORY_HARASSMENT' as never,
          threshold: 'BLOCK_NONE' as never,
          method: 'SEVERITY' as never,
        },
      ],
    },
  ),
  field('serviceTier', { serviceTier: 'flex' as never }),
  field('store', { store: true } as object),
  field('systemInstruction', { systemInstruction: { parts: [{ text: 'Be brief.' }] } }),
  beside(
    'toolConfig.functionCallingConfig.allowedFunctionNames',
    { ...two, ...calling({ mode: 'ANY' }) },
    calling({ mode: 'ANY', allowedFunctionNames: ['time'] }),
  ),
  beside('toolConfig.functionCallingConfig.mode', two, calling({ mode: 'ANY' })),
  beside(
    'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    { ...two, ...calling({ mode: 'AUTO' }) },
    calling({ mode: 'AUTO', streamFunctionCallArguments: true }),
  ),
  beside('toolConfig.includeServerSideToolInvocations', two, {
    toolConfig: { includeServerSideToolInvocations: true },
  }),
  beside('toolConfig.retrievalConfig', two, { toolConfig: { retrievalConfig: { languageCode: 'no' } } }, whole),
  own('codeExecution', {}),
  own('computerUse', { environment: 'ENVIRONMENT_BROWSER' }),
  own('enterpriseWebSearch', {}),
  own('exaAiSearch', { apiKey: 'sk-sim-exa' }),
  own('fileSearch', { fileSearchStoreNames: ['fileSearchStores/1'] }),
  own('googleMaps', {}),
  own('googleSearch', {}),
  own('googleSearchRetrieval', {}),
  own('mcpServers', [{ name: 'a' }]),
  own('parallelAiSearch', { apiKey: 'sk-sim-parallel' }),
  own('retrieval', {}),
  own('urlContext', {}),
  inFunction('behavior', { behavior: 'BLOCKING' }),
  inFunction('description', { description: 'It rains.' }),
  field('tools.functionDeclarations.name', { tools: [declared()] }),
  inFunction('parameters', { parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } }),
  inFunction('parametersJsonSchema', {
    parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
  }),
  inFunction('response', { response: { type: 'OBJECT' } }),
  inFunction('responseJsonSchema', { responseJsonSchema: { type: 'object' } }),
];
