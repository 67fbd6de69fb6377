// The models that the simulated vendor serves, with the properties that decide whether a request is refused. This table
// is separate from the catalog, so that a test can detect a difference. Sources are the vendor's model pages, otherwise
// measurements of its users; if in doubt, the stricter rule applies.

/** How a request controls thinking: by a budget of tokens, by a level, or not. */
export type Thinking =
  | { readonly by: 'nothing' }
  | {
      readonly by: 'budget';
      readonly min: number;
      readonly max: number;
      /** Whether a budget of 0 turns thinking off. */
      readonly off: boolean;
      /** Whether it thinks without being requested to. */
      readonly always: boolean;
    }
  | { readonly by: 'level'; readonly levels: readonly Level[]; readonly usual: Level };

export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

export interface ModelCapabilities {
  /** False: the model exists, but not for generateContent. */
  readonly generates: boolean;
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  readonly candidatesMax: number;
  readonly thinking: Thinking;
  /** Signs its thinking, gives calls an id, and requires the signatures of the current turn in the history. */
  readonly signs: boolean;
  /** Accepts images and documents in function responses. */
  readonly multimodalResponses: boolean;
  /** Accepts functions together with a response schema or with the vendor's own tools. */
  readonly combinesTools: boolean;
  readonly penalties: boolean;
  readonly logprobs: boolean;
  /** Accepts a conversation whose last turn is the model's. */
  readonly continues: boolean;
  readonly instruction: boolean;
}

export interface SimulatedModel extends ModelCapabilities {
  readonly name: string;
  /** The name in responses. For an alias, it is the name of the other model. */
  readonly modelVersion: string;
}

export type Version = 'v1' | 'v1beta';

export function findModel(name: string, version: Version): SimulatedModel | undefined {
  return version === 'v1' && onlyBeta.test(name) ? undefined : models.get(name);
}

export function listModels(version: Version): readonly SimulatedModel[] {
  return [...models.values()].filter(({ name }) => findModel(name, version) !== undefined);
}

// According to the vendor, v1 lacks its aliases, speech models and some previews. It does not say which previews, so
// here v1 lacks all.
const onlyBeta = /-latest$|-preview|-tts/;

const million = 1_048_576;
const levels = (lowest: Level, usual: Level): Thinking => {
  const all: readonly Level[] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
  return { by: 'level', levels: all.slice(all.indexOf(lowest)), usual };
};

const gemini20: ModelCapabilities = {
  generates: true,
  inputTokensMax: million,
  outputTokensMax: 8_192,
  candidatesMax: 8,
  thinking: { by: 'nothing' },
  signs: false,
  multimodalResponses: false,
  combinesTools: false,
  penalties: true,
  logprobs: true,
  continues: true,
  instruction: true,
};
const gemini25: ModelCapabilities = {
  ...gemini20,
  outputTokensMax: 65_536,
  penalties: false,
  logprobs: false,
};
const flash25: ModelCapabilities = {
  ...gemini25,
  thinking: { by: 'budget', min: 1, max: 24_576, off: true, always: true },
};
const lite25: ModelCapabilities = {
  ...gemini25,
  thinking: { by: 'budget', min: 512, max: 24_576, off: true, always: false },
};
const pro25: ModelCapabilities = {
  ...gemini25,
  thinking: { by: 'budget', min: 128, max: 32_768, off: false, always: true },
};
const gemini3: ModelCapabilities = {
  ...gemini25,
  candidatesMax: 1,
  signs: true,
  multimodalResponses: true,
  combinesTools: true,
  thinking: levels('MINIMAL', 'HIGH'),
};
const pro3: ModelCapabilities = { ...gemini3, thinking: levels('LOW', 'HIGH') };
const lite3: ModelCapabilities = { ...gemini3, thinking: levels('MINIMAL', 'MINIMAL') };
const gemini35: ModelCapabilities = { ...gemini3, continues: false, thinking: levels('MINIMAL', 'MEDIUM') };
const lite35: ModelCapabilities = { ...gemini35, thinking: levels('MINIMAL', 'MINIMAL') };
const gemini37: ModelCapabilities = { ...gemini35, thinking: levels('LOW', 'MEDIUM') };
const images: ModelCapabilities = { ...gemini25, inputTokensMax: 65_536, outputTokensMax: 32_768 };
const images3: ModelCapabilities = {
  ...images,
  inputTokensMax: 131_072,
  signs: true,
  multimodalResponses: true,
};
const omni: ModelCapabilities = { ...flash25, signs: false };
const gemma: ModelCapabilities = {
  ...gemini20,
  inputTokensMax: 131_072,
  candidatesMax: 1,
  instruction: false,
};
const notForText: ModelCapabilities = { ...gemini20, generates: false };

const families: readonly (readonly [ModelCapabilities, readonly string[]])[] = [
  [gemini20, ['gemini-2.0-flash', 'gemini-2.0-flash-001', 'gemini-2.0-flash-lite', 'gemini-2.0-flash-lite-001']],
  [flash25, ['gemini-2.5-flash', 'gemini-2.5-flash-preview-09-2025', 'gemini-robotics-er-1.5-preview']],
  [lite25, ['gemini-2.5-flash-lite', 'gemini-2.5-flash-lite-preview-06-17', 'gemini-2.5-flash-lite-preview-09-2025']],
  [pro25, ['gemini-2.5-pro']],
  [{ ...pro25, inputTokensMax: 128_000 }, ['gemini-2.5-computer-use-preview-10-2025']],
  [gemini3, ['gemini-3-flash-preview']],
  [pro3, ['gemini-3-pro-preview', 'gemini-3.1-pro-preview', 'gemini-3.1-pro-preview-customtools']],
  [lite3, ['gemini-3.1-flash-lite', 'gemini-3.1-flash-lite-preview']],
  [gemini35, ['gemini-3.5-flash', 'gemini-3.6-flash']],
  [lite35, ['gemini-3.5-flash-lite']],
  [gemini37, ['gemini-3.7-flash', 'gemini-3.8-flash', 'gemini-4-hydrogen']],
  [gemini37, ['gemini-4-argon']],
  [
    { ...gemini37, inputTokensMax: 131_072 },
    ['gemini-robotics-er-2-preview', 'gemini-robotics-er-2-streaming-preview'],
  ],
  [images, ['gemini-2.5-flash-image']],
  [
    images3,
    [
      'gemini-3-pro-image',
      'gemini-3-pro-image-preview',
      'gemini-3.1-flash-image',
      'gemini-3.1-flash-image-preview',
      'gemini-3.1-flash-lite-image',
      'gemini-nano-banana-2.1',
      'nano-banana-pro-preview',
    ],
  ],
  [omni, ['gemini-omni-flash-preview']],
  [gemma, ['gemma-3-27b-it']],
  [{ ...gemma, inputTokensMax: 262_144, outputTokensMax: 32_768 }, ['gemma-4-26b-a4b-it', 'gemma-4-31b-it']],
  [
    notForText,
    [
      'gemini-2.5-flash-native-audio-latest',
      'gemini-2.5-flash-native-audio-preview-09-2025',
      'gemini-2.5-flash-native-audio-preview-12-2025',
      'gemini-2.5-flash-preview-tts',
      'gemini-2.5-pro-preview-tts',
      'gemini-3.1-flash-live-preview',
      'gemini-embedding-001',
      'text-embedding-004',
      'imagen-4.0-generate-001',
    ],
  ],
];

const aliases: Readonly<Record<string, string>> = {
  'gemini-flash-latest': 'gemini-3.8-flash',
  'gemini-flash-lite-latest': 'gemini-3.5-flash-lite',
  'gemini-pro-latest': 'gemini-3.1-pro-preview',
};

const models = new Map<string, SimulatedModel>(
  families.flatMap(([capabilities, names]) =>
    names.map((name) => [name, { ...capabilities, name, modelVersion: name }] as const),
  ),
);
for (const [name, modelVersion] of Object.entries(aliases)) {
  const model = models.get(modelVersion);
  if (model !== undefined) models.set(name, { ...model, name });
}
