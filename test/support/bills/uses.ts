// The requests of a month of usage: provider key, model and price of each use, and what one request uses.
/** Ids of provider keys by their names. */
export type Keys = Readonly<Record<KeyName, string>>;
export type KeyName =
  | 'gpt-main'
  | 'gpt-labs'
  | 'claude-main'
  | 'claude-labs'
  | 'bedrock-a'
  | 'bedrock-b'
  | 'studio'
  | 'gemini';

/** USD per million tokens. */
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export interface Line {
  readonly key: KeyName;
  readonly provider: string;
  /** The requested name. */
  readonly requested: string;
  /** The name in the vendor's response; Bedrock's responses have none. */
  readonly servedModel: string;
  readonly rates: Rates;
}

const gpt4o = { servedModel: 'gpt-4o-2024-08-06', rates: { input: 2.5, output: 10, cached: 1.25 } };
const mini = { servedModel: 'gpt-4o-mini-2024-07-18', rates: { input: 0.15, output: 0.6, cached: 0.075 } };
const sonnet = { servedModel: 'claude-sonnet-4-5-20250929', rates: { input: 3, output: 15, cached: 0.3 } };
const haiku = { servedModel: '', rates: { input: 1, output: 5, cached: 0.1 } };

export const lines: readonly Line[] = [
  { key: 'gpt-main', provider: 'gpt-provider', requested: 'gpt-4o', ...gpt4o },
  { key: 'gpt-main', provider: 'gpt-provider', requested: 'gpt-4o-mini', ...mini },
  { key: 'gpt-labs', provider: 'gpt-provider', requested: 'gpt-4o-mini', ...mini },
  { key: 'claude-main', provider: 'assistant-provider', requested: 'claude-sonnet-4-5', ...sonnet },
  { key: 'claude-labs', provider: 'assistant-provider', requested: 'claude-sonnet-4-5', ...sonnet },
  {
    key: 'bedrock-a',
    provider: 'managed-cloud-models',
    requested: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    ...haiku,
  },
  {
    key: 'bedrock-b',
    provider: 'managed-cloud-models',
    requested: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    ...haiku,
  },
  {
    ...{
      key: 'studio',
      provider: 'studio-ai',
      requested: 'chat-prod',
      servedModel: 'gpt-4.1-nano-2025-04-14',
    },
    rates: { input: 0.1, output: 0.4, cached: 0.025 },
  },
  {
    ...{
      key: 'gemini',
      provider: 'search-provider',
      requested: 'gemini-2.5-flash',
      servedModel: 'gemini-2.5-flash',
    },
    rates: { input: 0.3, output: 2.5, cached: 0.03 },
  },
];

/** One request: what it used, and its fate on either side. */
export interface Use {
  readonly line: Line;
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** The day of the month, from 1, of each plant. */
export const plants = {
  hangUps: 3,
  priority: 5,
  /** Priority on both sides, and responses without the model's name: nothing differs. */
  agreeing: 6,
  noPrice: 7,
  foreignKey: 9,
  sameKeyElsewhere: 10,
  wrongMapping: 12,
  awsCredit: 14,
  googleCredit: 15,
  midnight: 16,
  tax: 18,
  recordedPriority: 19,
  otherPrice: 20,
  countedLow: 21,
  notBilled: 22,
  /** Searches that the ledger has with their model and the bill on a separate line: nothing differs. */
  searches: 23,
  foreignProject: 24,
  searchesUnbooked: 25,
  batch: 26,
  otherMeter: 27,
} as const;

export function worth({ line: { rates }, prompt, cached, completion }: Use): number {
  return ((prompt - cached) * rates.input + cached * rates.cached + completion * rates.output) / 1e6;
}
