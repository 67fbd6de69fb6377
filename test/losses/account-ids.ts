// The fields of each client format that name something by its id: whether it belongs to the vendor's whole account, and
// is for the caller's own key alone. account-ids.test.ts finds fields of the SDKs that have no row here.
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import type { VendorName } from '../../simulator/vendors.ts';

export interface AccountField {
  /** As sdk-fields.ts writes it, or the beginning of such paths. */
  readonly path: string;
  /** The smallest request with it, without a model. */
  readonly body: object;
  /** With a stored key it is left out and named, because the response is the same without it. Default: it is refused. */
  readonly isDropped?: true;
  /** The SDK's types lack it: it is another form of a field. */
  readonly isUntyped?: true;
}

export interface IdTable {
  /** The type in sdk-requests.ts. */
  readonly sdkType: string;
  /** The vendor that gets the client's own bytes. */
  readonly vendor: VendorName;
  readonly model: string;
  readonly account: readonly AccountField[];
  /** Fields of which the vendor looks nothing up in its account, by the reason. */
  readonly others: Readonly<Record<string, readonly RegExp[]>>;
}

const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const text = { type: 'text', text: 'Hello' };
const row = (path: string, body: object): AccountField => ({ path, body });

const messagesBody = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const messagesField = (path: string, fields: object): AccountField => row(path, { ...messagesBody, ...fields });
const messagesBlock = (path: string, block: object): AccountField =>
  row(`messages.content${path}`, { max_tokens: 100, ...user(text, block) });
const stored = { type: 'file', file_id: 'file_1' };

const messages: IdTable = {
  sdkType: 'Messages',
  vendor: 'assistant-provider',
  model: 'claude-sonnet-4-5',
  account: [
    messagesField('container', { container: 'container_1' }),
    messagesField('thread', { thread: { type: 'continue', previous_message_id: 'msg_1' } }),
    messagesField('thread', { thread: { type: 'create' } }),
    {
      ...messagesField('diagnostics.previous_message_id', { diagnostics: { previous_message_id: 'msg_1' } }),
      isDropped: true,
    },
    messagesBlock('[container_upload].file_id', { type: 'container_upload', file_id: 'file_1' }),
    messagesBlock('[document].source[file].file_id', { type: 'document', source: stored }),
    messagesBlock('[image].source[file].file_id', { type: 'image', source: stored }),
    {
      ...messagesBlock('[document].source[content].content[image].source[file].file_id', {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: stored }] },
      }),
      isUntyped: true,
    },
    {
      ...row('messages.content[tool_result].content[image].source[file].file_id', {
        max_tokens: 100,
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'image', source: stored }] }],
          },
        ],
      }),
      isUntyped: true,
    },
  ],
  others: {
    'pairs a call with its result': [/tool_use_id$/, /\[(?:mcp_|server_)?tool_use\]\.(?:id|caller)/],
    'names a tool of the request': [/tool_reference/, /\[tool_addition\]/],
    'repeats what a tool of the vendor has returned': [/_execution_result\]\.content\.file_id$/],
    'is of the browser that the client runs': [/\[browser_state\]/],
    'is the caller’s own name of a user': [/^metadata\.user_id$/],
    'is a header, and stays behind or is refused': [/^(?:user_profile|workspace)_id$/],
  },
};

const item = (path: string, one: object): AccountField => row(`input${path}`, { input: [one] });
const content = (path: string, part: object): AccountField =>
  item(`[message].content${path}`, { role: 'user', content: [part] });
const output = (path: string, part: object): AccountField =>
  row(`input[function_call_output].output${path}`, {
    input: [
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: [part] },
    ],
  });
const offered = (path: string, tool: object): AccountField => row(`tools${path}`, { input: 'Hello', tools: [tool] });
const foundTool = (path: string, tool: object): AccountField =>
  item(`[tool_search_output].tools${path}`, {
    ...{ type: 'tool_search_output', call_id: 'call_1', execution: 'client', status: 'completed' },
    tools: [tool],
  });
const code = { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_1'] } };
const mask = { type: 'image_generation', input_image_mask: { file_id: 'file_1' } };
const tunnel = { type: 'mcp', server_label: 'files', tunnel_id: 'tunnel_1' };
const shell = (environment: object) => ({ type: 'shell', environment });

const responses: IdTable = {
  sdkType: 'Responses',
  vendor: 'gpt-provider',
  model: 'gpt-4.1-mini',
  account: [
    row('prompt', { input: 'Hello', prompt: { id: 'pmpt_1' } }),
    {
      path: 'prompt_cache_options.comparison_response_id',
      body: { input: 'Hello', prompt_cache_options: { comparison_response_id: 'resp_1' } },
      isDropped: true,
    },
    content('[input_file].file_id', { type: 'input_file', file_id: 'file_1' }),
    content('[input_image].file_id', { type: 'input_image', detail: 'auto', file_id: 'file_1' }),
    output('[input_file].file_id', { type: 'input_file', file_id: 'file_1' }),
    output('[input_image].file_id', { type: 'input_image', detail: 'auto', file_id: 'file_1' }),
    item('[computer_call_output].output.file_id', {
      ...{ type: 'computer_call_output', call_id: 'call_1' },
      output: { type: 'computer_screenshot', file_id: 'file_1' },
    }),
    item('[code_interpreter_call].container_id', {
      ...{ type: 'code_interpreter_call', id: 'ci_1', code: '1', outputs: null, status: 'completed' },
      container_id: 'cntr_1',
    }),
    item('[file_search_call].results.file_id', {
      ...{ type: 'file_search_call', id: 'fs_1', queries: [], status: 'completed' },
      results: [{ file_id: 'file_1' }],
    }),
    item('[shell_call].environment[container_reference].container_id', {
      ...{ type: 'shell_call', call_id: 'call_1', action: { commands: ['ls'] } },
      environment: { type: 'container_reference', container_id: 'cntr_1' },
    }),
    foundTool('[code_interpreter].container.file_ids', code),
    foundTool('[image_generation].input_image_mask.file_id', mask),
    foundTool('[mcp].tunnel_id', tunnel),
    offered('[code_interpreter].container.file_ids', code),
    { ...offered('[code_interpreter].container', { type: 'code_interpreter', container: 'cntr_1' }), isUntyped: true },
    offered('[file_search].vector_store_ids', { type: 'file_search', vector_store_ids: ['vs_1'] }),
    offered('[image_generation].input_image_mask.file_id', mask),
    offered('[mcp].tunnel_id', tunnel),
    offered('[shell].environment[container_auto].file_ids', shell({ type: 'container_auto', file_ids: ['file_1'] })),
    offered(
      '[shell].environment[container_auto].skills[skill_reference].skill_id',
      shell({ type: 'container_auto', skills: [{ type: 'skill_reference', skill_id: 'skill_1' }] }),
    ),
    {
      ...offered(
        '[shell].environment[container_reference].container_id',
        shell({ type: 'container_reference', container_id: 'c' }),
      ),
      isUntyped: true,
    },
  ],
  others: {
    'is opened for its owner, or taken out': [
      /^input\[[a-z_|]+\]\.id$/,
      /approval_request_id$/,
      /^previous_response_id$/,
    ],
    'is never served': [/^conversation\.id$/],
    'pairs a call with its result': [/\.call_id$/, /\.caller_id$/, /safety_checks\.id$/],
    'quotes the model’s text': [/\.annotations\[/],
    'is a skill of the client’s own, or in the request': [/\.environment\[local\]/, /\.skills\[inline\]/],
    'is a service that the caller’s own token opens': [/\.connector_id$/],
    'says how a container may be used': [/\.container\.(?:memory_limit|network_policy)/],
    'is a part of a skill that has a row': [/\.skills\[skill_reference\]\.version$/],
    'is text': [/\.revised_prompt$/],
  },
};

const chat: IdTable = {
  sdkType: 'ChatCompletions',
  vendor: 'gpt-provider',
  model: 'gpt-4o-audio-preview',
  account: [
    row('audio.voice.id', {
      ...{ messages: [{ role: 'user', content: 'Hello' }], modalities: ['text', 'audio'] },
      audio: { format: 'wav', voice: { id: 'voice_1' } },
    }),
    row('messages[assistant].audio.id', {
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', audio: { id: 'audio_1' } },
        { role: 'user', content: 'And?' },
      ],
    }),
    row('messages[user].content[file].file.file_id', user(text, { type: 'file', file: { file_id: 'file_1' } })),
  ],
  others: { 'pairs a call with its result': [/\.tool_calls\[\w+\]\.id$/, /\.tool_call_id$/] },
};

const parts = (...all: object[]) => ({ contents: [{ role: 'user', parts: all }] });
const question = parts({ text: 'Hello' });
const generateField = (path: string, fields: object): AccountField => row(path, { ...question, ...fields });
const config = (path: string, fields: object): AccountField =>
  generateField(`generationConfig.${path}`, { generationConfig: fields });
const maps = (path: string, auth: object): AccountField =>
  generateField(`tools.googleMaps.authConfig.${path}`, { tools: [{ googleMaps: { authConfig: auth } }] });

const generateContent: IdTable = {
  sdkType: 'GenerateContent',
  vendor: 'search-provider',
  model: 'gemini-2.5-flash',
  account: [
    generateField('cachedContent', { cachedContent: 'cachedContents/1' }),
    generateField('modelArmorConfig', { modelArmorConfig: { promptTemplateName: 'projects/1/templates/1' } }),
    row('contents.parts.fileData', parts({ fileData: { fileUri: 'files/1' } })),
    row(
      'contents.parts.functionResponse.parts.fileData',
      parts({ functionResponse: { name: 'look', response: {}, parts: [{ fileData: { fileUri: 'files/1' } }] } }),
    ),
    config('responseFormat.video.gcsUri', { responseFormat: { video: { gcsUri: 'gs://bucket/1' } } }),
    config('routingConfig', { routingConfig: { manualMode: { modelName: 'gemini-2.5-pro' } } }),
    config('speechConfig.voiceConfig.voice', { speechConfig: { voiceConfig: { voice: 'voice_1' } } }),
    maps('apiKeyConfig.apiKeySecret', { apiKeyConfig: { apiKeySecret: 'projects/1/secrets/1' } }),
    maps('googleServiceAccountConfig.serviceAccount', { googleServiceAccountConfig: { serviceAccount: 'a' } }),
    maps('httpBasicAuthConfig.credentialSecret', { httpBasicAuthConfig: { credentialSecret: 'projects/1/secrets/1' } }),
    maps('oauthConfig.serviceAccount', { oauthConfig: { serviceAccount: 'a' } }),
    maps('oidcConfig.serviceAccount', { oidc_config: { service_account: 'a' } }),
  ],
  others: {
    'pairs a call with its result': [/\.(?:functionCall|functionResponse|toolCall|toolResponse)\.id$/],
    'pairs code with its result': [/\.(?:executableCode|codeExecutionResult)\.id$/],
    'names functions of the request': [/allowedFunctionNames$/],
    'is a voice that every account has': [/prebuiltVoiceConfig\.voiceName$/],
    'is a name for readers': [/inlineData\.displayName$/],
    'is a preference': [/featureSelectionPreference$/],
    'says where a key goes': [/httpElementLocation$/],
    'is in a tool that no settings let pass': [/^tools\.(?:fileSearch|retrieval)\./],
  },
};

const block = (path: string, one: object): AccountField =>
  row(`messages.content.${path}`, user({ text: 'Hello' }, one));
const converseField = (path: string, fields: object): AccountField =>
  row(path, { ...user({ text: 'Hello' }), ...fields });
const extra = (name: string, value: unknown): AccountField => ({
  ...converseField(`additionalModelRequestFields.${name}`, { additionalModelRequestFields: { [name]: value } }),
  isUntyped: true,
});
const source = { s3Location: { uri: 's3://bucket/1' } };

const converse: IdTable = {
  sdkType: 'Converse',
  vendor: 'managed-cloud-models',
  model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  account: [
    converseField('guardrailConfig', { guardrailConfig: { guardrailIdentifier: 'g1', guardrailVersion: '1' } }),
    { ...converseField('promptVariables', { promptVariables: { x: { text: 'y' } } }), isUntyped: true },
    block('audio.source.s3Location', { audio: { format: 'mp3', source } }),
    block('document.source.s3Location', { document: { format: 'pdf', name: 'a', source } }),
    block('image.source.s3Location', { image: { format: 'png', source } }),
    block('video.source.s3Location', { video: { format: 'mp4', source } }),
    extra('container', 'container_1'),
    extra('thread', { type: 'create' }),
  ],
  others: {
    'pairs a call with its result': [/\.toolUseId$/],
    'names a tool of the request': [/\.toolAddition\./],
  },
};

const versioned = ({ body, ...rest }: AccountField): AccountField => ({
  ...rest,
  body: { anthropic_version: 'bedrock-2023-05-31', ...body },
});

export const idTables: Readonly<Record<ClientFormatName, IdTable>> = {
  chat_completions: chat,
  messages,
  responses,
  generate_content: generateContent,
  converse,
  invoke: {
    ...messages,
    vendor: 'managed-cloud-models',
    model: converse.model,
    account: messages.account.map(versioned),
  },
};
