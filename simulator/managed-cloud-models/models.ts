// The models that the simulated vendor serves, with the properties that decide whether a request is refused. This table
// is separate from the catalog, so that a test can detect a difference. Where the vendor's pages and its users' reports
// differ, the stricter applies.

export type Family = 'claude' | 'nova' | 'llama' | 'mistral' | 'gpt-oss' | 'deepseek' | 'command' | 'jamba' | 'titan';
export type Medium = 'image' | 'document' | 'video' | 'searchResult';

export interface ModelCapabilities {
  readonly family: Family;
  readonly contextTokens: number;
  readonly outputTokensMax: number;
  /** Callable by its own id; otherwise only through an inference profile. */
  readonly onDemand: boolean;
  /** Prefixes of its cross-region profiles. */
  readonly profiles: readonly string[];
  readonly system: boolean;
  /** `whole`: tools only outside streams. */
  readonly tools: 'none' | 'whole' | 'streamed';
  /** Accepted values of toolChoice beside `auto`. */
  readonly toolChoices: readonly ('any' | 'tool')[];
  /** The form of tool call ids; narrower than the service's. */
  readonly toolUseId: RegExp;
  /** Accepts text after the tool results of a turn. */
  readonly mixesResults: boolean;
  readonly media: readonly Medium[];
  /** Also accepts these media inside tool results. */
  readonly mediaInResults: boolean;
  /** Accepts media by `s3Location`. */
  readonly s3: boolean;
  /** 0: the field is refused. */
  readonly stopSequencesMax: number;
  /** `one`: temperature or topP, not both. */
  readonly sampling: 'both' | 'one' | 'none';
  /** Accepted types of the `thinking` field; empty for a model without the field. */
  readonly thinking: readonly ('enabled' | 'adaptive' | 'disabled')[];
  /** Accepted efforts, in `output_config` or in the family's own field. */
  readonly efforts: readonly string[];
  /** Whether the model reasons always or on request; undefined: never. */
  readonly reasons: 'always' | 'on request' | undefined;
  /** Accepts a conversation that ends with the beginning of the response. */
  readonly prefill: boolean;
  /** Accepted lifetimes of a cache point; empty: cache points are refused. */
  readonly caching: readonly string[];
  /** A cache point after fewer prompt tokens is ignored. */
  readonly cacheTokensMin: number;
  readonly structured: boolean;
}

export interface SimulatedModel extends ModelCapabilities {
  /** Without a profile prefix. */
  readonly name: string;
}

const anyId = /^[a-zA-Z0-9_.:-]+$/;

const plain: ModelCapabilities = {
  family: 'llama',
  contextTokens: 128_000,
  outputTokensMax: 4_096,
  onDemand: true,
  profiles: [],
  system: true,
  tools: 'streamed',
  toolChoices: [],
  toolUseId: anyId,
  mixesResults: false,
  media: [],
  mediaInResults: false,
  s3: false,
  stopSequencesMax: 2_500,
  sampling: 'both',
  thinking: [],
  efforts: [],
  reasons: undefined,
  prefill: false,
  caching: [],
  cacheTokensMin: 1_024,
  structured: false,
};

const everywhere = ['us', 'eu', 'apac', 'jp', 'au', 'ca', 'us-gov', 'global'];

const claude3: ModelCapabilities = {
  ...plain,
  family: 'claude',
  contextTokens: 200_000,
  profiles: ['us', 'eu', 'apac'],
  toolChoices: ['any', 'tool'],
  toolUseId: /^[a-zA-Z0-9_-]+$/,
  mixesResults: true,
  media: ['image', 'document'],
  mediaInResults: true,
  prefill: true,
};
const claude41: ModelCapabilities = {
  ...claude3,
  outputTokensMax: 32_000,
  onDemand: false,
  profiles: everywhere,
  media: ['image', 'document', 'searchResult'],
  // The first model that is known to refuse both together.
  sampling: 'one',
  thinking: ['enabled', 'disabled'],
  reasons: 'on request',
  caching: ['5m'],
};
const claude45: ModelCapabilities = {
  ...claude41,
  outputTokensMax: 64_000,
  caching: ['5m', '1h'],
  structured: true,
};
const claude46: ModelCapabilities = {
  ...claude45,
  contextTokens: 1_000_000,
  thinking: ['enabled', 'adaptive', 'disabled'],
  efforts: ['low', 'medium', 'high', 'max'],
  prefill: false,
};
const claude47: ModelCapabilities = {
  ...claude46,
  outputTokensMax: 128_000,
  sampling: 'none',
  thinking: ['adaptive', 'disabled'],
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
};
const claude5: ModelCapabilities = { ...claude47, reasons: 'always' };
const claudeAlwaysThinking: ModelCapabilities = { ...claude5, thinking: ['adaptive'] };
const claudeUnforced: ModelCapabilities = { ...claudeAlwaysThinking, toolChoices: [] };

const nova: ModelCapabilities = {
  ...plain,
  family: 'nova',
  contextTokens: 300_000,
  outputTokensMax: 10_000,
  profiles: ['us', 'eu', 'apac', 'us-gov'],
  toolChoices: ['any', 'tool'],
  media: ['image', 'document', 'video'],
  mediaInResults: true,
  s3: true,
  stopSequencesMax: 4,
  caching: ['5m'],
};
const nova2: ModelCapabilities = {
  ...nova,
  contextTokens: 1_000_000,
  outputTokensMax: 64_000,
  onDemand: false,
  profiles: ['us', 'eu', 'apac', 'global'],
  efforts: ['low', 'medium', 'high'],
  reasons: 'on request',
};
const llama: ModelCapabilities = { ...plain, onDemand: false, profiles: ['us'], tools: 'whole' };
const mistral: ModelCapabilities = {
  ...plain,
  family: 'mistral',
  outputTokensMax: 8_191,
  toolChoices: ['any', 'tool'],
  toolUseId: /^[a-zA-Z0-9]{9}$/,
};
const gptOss: ModelCapabilities = {
  ...plain,
  family: 'gpt-oss',
  outputTokensMax: 128_000,
  stopSequencesMax: 0,
  efforts: ['low', 'medium', 'high'],
  reasons: 'always',
  structured: true,
};
/** The closed models of the same maker. Their ids are as users quote them. */
const gpt56: ModelCapabilities = {
  ...gptOss,
  contextTokens: 1_050_000,
  sampling: 'none',
  media: ['image'],
  mixesResults: true,
};
const titan: ModelCapabilities = {
  ...plain,
  family: 'titan',
  contextTokens: 8_000,
  outputTokensMax: 8_000,
  system: false,
  tools: 'none',
};

const rows: readonly (readonly [name: string, traits: ModelCapabilities])[] = [
  ['anthropic.claude-3-haiku-20240307-v1:0', claude3],
  ['anthropic.claude-3-5-sonnet-20240620-v1:0', claude3],
  ['anthropic.claude-opus-4-1-20250805-v1:0', claude41],
  ['anthropic.claude-haiku-4-5-20251001-v1:0', { ...claude45, cacheTokensMin: 4_096 }],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', claude45],
  ['anthropic.claude-opus-4-5-20251101-v1:0', { ...claude45, cacheTokensMin: 4_096 }],
  ['anthropic.claude-sonnet-4-6', claude46],
  ['anthropic.claude-opus-4-6-v1', { ...claude46, outputTokensMax: 128_000, cacheTokensMin: 4_096 }],
  ['anthropic.claude-opus-4-7', { ...claude47, cacheTokensMin: 2_048 }],
  ['anthropic.claude-opus-4-8', claude47],
  ['anthropic.claude-sonnet-5', claude5],
  ['anthropic.claude-opus-5', { ...claude5, cacheTokensMin: 512 }],
  ['anthropic.claude-sonnet-5-5', claudeUnforced],
  ['anthropic.claude-opus-5-5', claudeUnforced],
  ['anthropic.claude-fable-5', { ...claudeAlwaysThinking, cacheTokensMin: 512 }],
  ['anthropic.claude-fable-5-1', claudeUnforced],
  ['anthropic.claude-fable-5-2', claudeUnforced],
  ['amazon.nova-micro-v1:0', { ...nova, contextTokens: 128_000, media: [], s3: false }],
  ['amazon.nova-lite-v1:0', nova],
  ['amazon.nova-pro-v1:0', nova],
  ['amazon.nova-premier-v1:0', { ...nova, contextTokens: 1_000_000, onDemand: false, profiles: ['us'] }],
  ['amazon.nova-2-lite-v1:0', nova2],
  ['amazon.titan-text-express-v1', titan],
  ['meta.llama3-3-70b-instruct-v1:0', llama],
  ['meta.llama4-maverick-17b-instruct-v1:0', { ...llama, media: ['image', 'document'] }],
  ['mistral.mistral-large-2407-v1:0', mistral],
  [
    'mistral.mistral-7b-instruct-v0:2',
    { ...mistral, contextTokens: 32_000, system: false, tools: 'none', toolChoices: [] },
  ],
  ['openai.gpt-oss-120b-1:0', gptOss],
  ['openai.gpt-5.6-sol', gpt56],
  ['openai.gpt-5.6-luna', gpt56],
  ['deepseek.r1-v1:0', { ...llama, family: 'deepseek', tools: 'none', reasons: 'always' }],
  ['cohere.command-r-plus-v1:0', { ...plain, family: 'command' }],
  ['ai21.jamba-1-5-large-v1:0', { ...plain, family: 'jamba', contextTokens: 256_000, tools: 'whole' }],
];

export const models: ReadonlyMap<string, SimulatedModel> = new Map(
  rows.map(([name, capabilities]) => [name, { ...capabilities, name }]),
);

/** Models that the vendor served once and has retired. */
export const retiredModels: ReadonlySet<string> = new Set([
  'anthropic.claude-v2:1',
  'anthropic.claude-instant-v1',
  'ai21.j2-ultra-v1',
]);

/** Known models that do not support conversations. */
export const otherModels: ReadonlySet<string> = new Set([
  'amazon.titan-embed-text-v2:0',
  'amazon.nova-canvas-v1:0',
  'cohere.embed-english-v3',
  'cohere.rerank-v3-5:0',
]);

/** Application profiles and provisioned models of the simulated account. The id does not show the model behind it. */
export const applicationProfiles: Readonly<Record<string, string>> = {
  simclaude45s: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  simnovapro00: 'amazon.nova-pro-v1:0',
};
