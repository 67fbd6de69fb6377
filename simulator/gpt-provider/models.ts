// The models that the simulated vendor serves, with the properties that decide whether a request is refused. This table
// is separate from the catalog, so that a test can detect a difference. The source is the vendor's model pages.

export interface ModelCapabilities {
  /** False: the model exists, but not for chat completions. */
  readonly chat: boolean;
  readonly contextTokens: number;
  readonly outputTokensMax: number;
  /** Accepted efforts; empty for a model that does not reason. */
  readonly efforts: readonly string[];
  /** Accepts function tools only with effort `none`. */
  readonly toolsWithoutEffort: boolean;
  readonly verbosity: boolean;
  readonly audio: boolean;
  readonly webSearch: boolean;
}

export interface SimulatedModel extends ModelCapabilities {
  readonly name: string;
  /** The dated name in responses. */
  readonly snapshot: string;
  /** Unix seconds. */
  readonly created: number;
}

export function findModel(name: string): SimulatedModel | undefined {
  return models.get(name);
}

export function listModels(): Iterable<SimulatedModel> {
  return models.values();
}

const plain: ModelCapabilities = {
  chat: true,
  contextTokens: 128_000,
  outputTokensMax: 16_384,
  efforts: [],
  toolsWithoutEffort: false,
  verbosity: false,
  audio: false,
  webSearch: false,
};
const old: ModelCapabilities = { ...plain, contextTokens: 16_385, outputTokensMax: 4_096 };
const gpt4: ModelCapabilities = { ...plain, contextTokens: 8_192, outputTokensMax: 4_096 };
const turbo: ModelCapabilities = { ...plain, outputTokensMax: 4_096 };
const gpt41: ModelCapabilities = { ...plain, contextTokens: 1_047_576, outputTokensMax: 32_768 };
const audio: ModelCapabilities = { ...plain, audio: true };
const search: ModelCapabilities = { ...plain, webSearch: true };
const oSeries: ModelCapabilities = {
  ...plain,
  contextTokens: 200_000,
  outputTokensMax: 100_000,
  efforts: ['low', 'medium', 'high'],
};
const gpt5: ModelCapabilities = {
  ...plain,
  contextTokens: 400_000,
  outputTokensMax: 128_000,
  efforts: ['minimal', 'low', 'medium', 'high'],
  verbosity: true,
};
const gpt51: ModelCapabilities = { ...gpt5, efforts: ['none', 'low', 'medium', 'high'] };
const gpt52: ModelCapabilities = { ...gpt51, efforts: [...gpt51.efforts, 'xhigh'] };
const gpt54: ModelCapabilities = { ...gpt52, toolsWithoutEffort: true };
const gpt54Long: ModelCapabilities = { ...gpt54, contextTokens: 1_050_000 };
const gpt62: ModelCapabilities = { ...gpt54Long, efforts: ['low', 'medium', 'high', 'xhigh'] };
const chatLatest: ModelCapabilities = {
  ...gpt5,
  efforts: [],
  contextTokens: 128_000,
  outputTokensMax: 16_384,
};
const notChat: ModelCapabilities = { ...plain, chat: false };

// Undated name · its dates, the last for the undated name · capabilities.
const families: readonly (readonly [string, readonly string[], ModelCapabilities])[] = [
  ['gpt-3.5-turbo', ['1106', '0125'], old],
  ['gpt-3.5-turbo-16k', [], old],
  ['gpt-4', ['0314', '0613'], gpt4],
  ['gpt-4-0125-preview', [], turbo],
  ['gpt-4-1106-preview', [], turbo],
  ['gpt-4-turbo', ['2024-04-09'], turbo],
  ['gpt-4-turbo-preview', [], turbo],
  ['gpt-4o', ['2024-05-13', '2024-11-20', '2024-08-06'], plain],
  ['chatgpt-4o-latest', [], plain],
  ['gpt-4o-mini', ['2024-07-18'], plain],
  ['gpt-4o-audio-preview', ['2024-12-17', '2025-06-03'], audio],
  ['gpt-4o-mini-audio-preview', ['2024-12-17'], audio],
  ['gpt-audio', ['2025-08-28'], audio],
  ['gpt-audio-1.5', [], audio],
  ['gpt-audio-mini', ['2025-10-06', '2025-12-15'], audio],
  ['gpt-4o-search-preview', ['2025-03-11'], search],
  ['gpt-4o-mini-search-preview', ['2025-03-11'], search],
  ['gpt-5-search-api', ['2025-10-14'], search],
  ['gpt-4.1', ['2025-04-14'], gpt41],
  ['gpt-4.1-mini', ['2025-04-14'], gpt41],
  ['gpt-4.1-nano', ['2025-04-14'], gpt41],
  ['o1', ['2024-12-17'], oSeries],
  ['o3', ['2025-04-16'], oSeries],
  ['o3-mini', ['2025-01-31'], oSeries],
  ['o4-mini', ['2025-04-16'], oSeries],
  ['gpt-5', ['2025-08-07'], gpt5],
  ['gpt-5-mini', ['2025-08-07'], gpt5],
  ['gpt-5-nano', ['2025-08-07'], gpt5],
  ['gpt-5-chat-latest', [], chatLatest],
  ['gpt-5.1', ['2025-11-13'], gpt51],
  ['gpt-5.1-chat-latest', [], chatLatest],
  ['gpt-5.2', ['2025-12-11'], gpt52],
  ['gpt-5.2-chat-latest', [], chatLatest],
  ['gpt-5.3-chat-latest', [], chatLatest],
  ['gpt-5.4', ['2026-03-05'], gpt54Long],
  ['gpt-5.4-mini', ['2026-03-17'], gpt54],
  ['gpt-5.4-nano', ['2026-03-17'], gpt54],
  ['gpt-5.5', ['2026-04-23'], gpt54Long],
  ['gpt-5.6', [], gpt54Long],
  ['gpt-5.6-sol', [], gpt54Long],
  ['gpt-5.6-terra', [], gpt54Long],
  ['gpt-5.6-luna', [], gpt54Long],
  ['chat-latest', [], gpt5],
  ['daybreak-blue-latest', [], gpt54Long],
  ['daybreak-red-latest', [], gpt54],
  ['gpt-5.5-cyber', [], gpt54],
  ['gpt-5.5-cyber-preview', [], gpt54],
  ['gpt-5.6-cyber', [], gpt54],
  ['gpt-6-astra', [], gpt54Long],
  ['gpt-6-astra-law', [], gpt54Long],
  ['gpt-6-rosalind', [], gpt54Long],
  ['gpt-rosalind-discovery', [], gpt54],
  ['gpt-rosalind-research', [], gpt54],
  ['gpt-6-sol', [], gpt54Long],
  ['gpt-6-luna', [], gpt54Long],
  ['gpt-6.1-sol', [], gpt54Long],
  ['gpt-6.1-terra', [], gpt54Long],
  ['gpt-6.2-astra', [], gpt62],
  ['gpt-6.2-sol', [], gpt62],
  ['text-embedding-3-small', [], notChat],
  ['text-embedding-3-large', [], notChat],
  ['whisper-1', [], notChat],
  ['tts-1', [], notChat],
  ['omni-moderation-latest', [], notChat],
];

const models = new Map(
  families.flatMap(([name, dates, capabilities]) => {
    const snapshots = dates.map((date) => `${name}-${date}`);
    const rows = [
      { ...capabilities, name, snapshot: snapshots.at(-1) ?? name },
      ...snapshots.map((snapshot) => ({ ...capabilities, name: snapshot, snapshot })),
    ];
    return rows.map((row) => [row.name, { ...row, created: createdAt(row.snapshot) }] as const);
  }),
);

/** The date in the name, otherwise a fixed date: it only must not change. */
function createdAt(snapshot: string): number {
  const date = /\d{4}-\d{2}-\d{2}$/.exec(snapshot)?.[0] ?? '2024-01-01';
  return Date.parse(date) / 1000;
}
