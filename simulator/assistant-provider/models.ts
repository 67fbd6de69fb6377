// The models that the simulated vendor serves, with the properties that decide whether a request is refused. This table
// is separate from the catalog, so that a test can detect a difference. Sources are the vendor's model pages and
// measurements of its users; where they leave a doubt, the stricter reading applies.

export type ThinkingType = 'enabled' | 'adaptive' | 'disabled' | 'between_tools';

export interface ModelCapabilities {
  readonly contextTokens: number;
  readonly outputTokensMax: number;
  /**
   * Accepted values of `temperature` and `top_p`: any of both, only one of them, or only the defaults (and no `top_k`).
   */
  readonly sampling: 'free' | 'one' | 'default';
  /** Accepted values of `thinking.type`. A model that accepts only `disabled` cannot think. */
  readonly thinking: readonly ThinkingType[];
  /** The model thinks if the request does not set `thinking`. */
  readonly thinksByDefault: boolean;
  /** The response leaves the thinking text out, unless the request wants it. */
  readonly hidesThinking: boolean;
  /** Accepted values of `output_config.effort`. */
  readonly efforts: readonly string[];
  /** Accepts `tool_choice` of type `any` and `tool`. */
  readonly forcedTools: boolean;
  /** Accepts a conversation that ends with an assistant message. */
  readonly prefill: boolean;
  readonly structuredOutput: boolean;
  /** Accepts system messages after the first message. */
  readonly systemMessages: boolean;
  readonly fastMode: boolean;
  /** Shorter prefixes are not cached, without an error. */
  readonly cacheableTokensMin: number;
  /** A response that reaches the end of the context has a stop reason for it. Earlier models refuse such a request. */
  readonly overflows: boolean;
}

export interface SimulatedModel extends ModelCapabilities {
  /** The name in responses. For an alias, it is the dated name. */
  readonly id: string;
  readonly displayName: string;
  readonly line: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** Finds a model by its name or an alias. */
export function findModel(name: string): SimulatedModel | undefined {
  return byName.get(name);
}

/** Latest model first, without aliases. */
export function listModels(): readonly SimulatedModel[] {
  return models;
}

const claude3: ModelCapabilities = {
  contextTokens: 200_000,
  outputTokensMax: 4_096,
  sampling: 'free',
  thinking: ['disabled'],
  thinksByDefault: false,
  hidesThinking: false,
  efforts: [],
  forcedTools: true,
  prefill: true,
  structuredOutput: false,
  systemMessages: false,
  fastMode: false,
  cacheableTokensMin: 2_048,
  overflows: false,
};
const budget: ModelCapabilities = {
  ...claude3,
  thinking: ['enabled', 'disabled'],
  cacheableTokensMin: 1_024,
};
const claude4: ModelCapabilities = { ...budget, outputTokensMax: 32_000 };
const claude45: ModelCapabilities = {
  ...budget,
  outputTokensMax: 64_000,
  sampling: 'one',
  structuredOutput: true,
  overflows: true,
};
const lowToHigh = ['low', 'medium', 'high'];
const opus45: ModelCapabilities = { ...claude45, efforts: lowToHigh, cacheableTokensMin: 4_096 };
const claude46: ModelCapabilities = {
  ...claude45,
  contextTokens: 1_000_000,
  outputTokensMax: 128_000,
  thinking: ['adaptive', 'enabled', 'disabled'],
  efforts: [...lowToHigh, 'max'],
  prefill: false,
  cacheableTokensMin: 4_096,
};
const sonnet46: ModelCapabilities = { ...claude46, outputTokensMax: 64_000, cacheableTokensMin: 1_024 };
const claude47: ModelCapabilities = {
  ...claude46,
  sampling: 'default',
  thinking: ['adaptive', 'disabled'],
  hidesThinking: true,
  efforts: [...lowToHigh, 'xhigh', 'max'],
  cacheableTokensMin: 2_048,
};
const claude48: ModelCapabilities = {
  ...claude47,
  systemMessages: true,
  fastMode: true,
  cacheableTokensMin: 1_024,
};
const claude5: ModelCapabilities = {
  ...claude48,
  thinksByDefault: true,
  fastMode: false,
  cacheableTokensMin: 512,
};
const alwaysThinking: ModelCapabilities = { ...claude5, thinking: ['adaptive'] };
const unforced: ModelCapabilities = { ...alwaysThinking, forcedTools: false };

// Name · aliases · release date, estimated where the name has none · capabilities. Latest model first.
const rows: readonly (readonly [string, readonly string[], string, ModelCapabilities])[] = [
  ['claude-fable-5-2', [], '2026-11-09', unforced],
  ['claude-haiku-5-5', [], '2026-10-07', claude5],
  ['claude-sonnet-5-5', [], '2026-09-28', { ...unforced, thinking: ['adaptive', 'between_tools'] }],
  ['claude-opus-5-5', [], '2026-09-22', unforced],
  ['claude-fable-5-1', [], '2026-08-31', unforced],
  ['claude-opus-5', [], '2026-07-24', { ...claude5, fastMode: true }],
  ['claude-sonnet-5', [], '2026-06-30', { ...claude5, cacheableTokensMin: 1_024 }],
  ['claude-mythos-5-1', [], '2026-08-31', unforced],
  ['claude-fable-5', [], '2026-06-09', alwaysThinking],
  ['claude-mythos-5', [], '2026-06-09', alwaysThinking],
  ['claude-opus-4-8', [], '2026-05-28', claude48],
  // Price lists have the dated names; the vendor's own pages have only the undated ones.
  ['claude-opus-4-7', ['claude-opus-4-7-20260416'], '2026-04-16', claude47],
  ['claude-mythos-preview', [], '2026-04-07', claude47],
  ['claude-sonnet-4-6', [], '2026-02-17', sonnet46],
  ['claude-opus-4-6', ['claude-opus-4-6-20260205'], '2026-02-05', claude46],
  ['claude-opus-4-5-20251101', ['claude-opus-4-5'], '2025-11-01', opus45],
  ['claude-haiku-4-5-20251001', ['claude-haiku-4-5'], '2025-10-01', { ...claude45, cacheableTokensMin: 4_096 }],
  ['claude-sonnet-4-5-20250929', ['claude-sonnet-4-5'], '2025-09-29', claude45],
  ['claude-opus-4-1-20250805', ['claude-opus-4-1'], '2025-08-05', claude4],
  ['claude-opus-4-20250514', ['claude-opus-4-0'], '2025-05-14', claude4],
  ['claude-sonnet-4-20250514', ['claude-sonnet-4-0'], '2025-05-14', { ...claude4, outputTokensMax: 64_000 }],
  ['claude-3-7-sonnet-20250219', [], '2025-02-19', { ...budget, outputTokensMax: 64_000 }],
  ['claude-3-haiku-20240307', [], '2024-03-07', claude3],
  ['claude-3-opus-20240229', [], '2024-02-29', claude3],
];

const models: readonly SimulatedModel[] = rows.map(([id, , day, capabilities]) => ({
  ...capabilities,
  id,
  displayName: displayName(id),
  line: /opus|sonnet|haiku|fable|mythos/.exec(id)?.[0] ?? '',
  createdAt: `${day}T00:00:00Z`,
}));

const byName = new Map(
  rows.flatMap(([id, others], index) => {
    const model = models[index];
    return model === undefined ? [] : [id, ...others].map((name) => [name, model] as const);
  }),
);

/** Such as `Claude Opus 4.5` or `Claude 3 Haiku`. */
function displayName(id: string): string {
  return id
    .replace(/-\d{8}$/, '')
    .replace(/(\d)-(\d)/, '$1.$2')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
