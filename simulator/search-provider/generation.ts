// The settings of generation and safety filters, as in the vendor's messages, and the checks of what a model accepts.
import type { SimulatedModel, Thinking } from './models.ts';
import { anyValue, enumeration, flag, float, int32, listOf, type Message, message, struct, text } from './proto.ts';
import { invalidArgument, invalidField } from './refusal.ts';
import { checkJsonSchema, checkSchema, schema } from './schema.ts';

const thinkingConfig = message('ThinkingConfig', {
  includeThoughts: flag,
  thinkingBudget: int32,
  thinkingLevel: enumeration('ThinkingConfig.ThinkingLevel', [
    'THINKING_LEVEL_UNSPECIFIED',
    'LOW',
    'HIGH',
    'MEDIUM',
    'MINIMAL',
  ]),
});

const generationFields = {
  candidateCount: int32,
  stopSequences: listOf(text),
  maxOutputTokens: int32,
  temperature: float,
  topP: float,
  topK: int32,
  seed: int32,
  presencePenalty: float,
  frequencyPenalty: float,
  responseLogprobs: flag,
  logprobs: int32,
  responseMimeType: text,
  responseSchema: schema,
  responseJsonSchema: anyValue,
  responseModalities: listOf(
    enumeration('GenerationConfig.Modality', ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO', 'VIDEO']),
  ),
  mediaResolution: enumeration('GenerationConfig.MediaResolution', [
    'MEDIA_RESOLUTION_UNSPECIFIED',
    'MEDIA_RESOLUTION_LOW',
    'MEDIA_RESOLUTION_MEDIUM',
    'MEDIA_RESOLUTION_HIGH',
  ]),
  thinkingConfig,
  speechConfig: struct,
  imageConfig: struct,
  audioTranscriptionConfig: struct,
  enableEnhancedCivicAnswers: flag,
};

export const generationConfig = message('GenerationConfig', generationFields);
export type GenerationConfig = Message<typeof generationFields>;

const categories = [
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
] as const;

const safetyFields = {
  category: enumeration('HarmCategory', [
    'HARM_CATEGORY_UNSPECIFIED',
    'HARM_CATEGORY_DEROGATORY',
    'HARM_CATEGORY_TOXICITY',
    'HARM_CATEGORY_VIOLENCE',
    'HARM_CATEGORY_SEXUAL',
    'HARM_CATEGORY_MEDICAL',
    'HARM_CATEGORY_DANGEROUS',
    'HARM_CATEGORY_HARASSMENT',
    'HARM_CATEGORY_HATE_SPEECH',
    'HARM_CATEGORY_SEXUALLY_EXPLICIT',
    'HARM_CATEGORY_DANGEROUS_CONTENT',
    'HARM_CATEGORY_CIVIC_INTEGRITY',
  ]),
  threshold: enumeration('SafetySetting.HarmBlockThreshold', [
    'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
    'BLOCK_LOW_AND_ABOVE',
    'BLOCK_MEDIUM_AND_ABOVE',
    'BLOCK_ONLY_HIGH',
    'BLOCK_NONE',
    'OFF',
  ]),
};

export const safetySettings = listOf(message('SafetySetting', safetyFields));
export type SafetySetting = Message<typeof safetyFields>;

/** @throws Refusal */
export function checkSafety(settings: readonly SafetySetting[]): void {
  settings.forEach(({ category }, index) => {
    const path = `safety_settings[${index}]`;
    if (!categories.some((known) => known === category)) {
      const names = categories.map((name) => `HarmCategory.${name}`).join(', ');
      throw invalidField(path, `element predicate failed: $.category in (${names})`);
    }
    if (settings.findIndex((other) => other.category === category) === index) return;
    throw invalidField(path, `more than one setting for category ${category}`);
  });
}

type Rule = (config: GenerationConfig, model: SimulatedModel) => void;

/** @throws Refusal */
export const checkGeneration: Rule = (config, model) => {
  for (const rule of rules) rule(config, model);
};

const rules: readonly Rule[] = [
  ranges,
  outputLength,
  stops,
  candidates,
  probabilities,
  modalities,
  responseSchema,
  thinks,
];

const at = (field: string) => `generation_config.${field}`;

function ranges(config: GenerationConfig, model: SimulatedModel): void {
  const between = (field: string, value: number | undefined, [min, max]: readonly [number, number]) => {
    if (value === undefined || (value >= min && value <= max)) return;
    const range = `[${min.toFixed(1)}, ${max.toFixed(1)}]`;
    throw invalidField(at(field), `${field} must be in the range ${range}.`);
  };
  between('temperature', config.temperature, [0, 2]);
  between('top_p', config.topP, [0, 1]);
  between('presence_penalty', config.presencePenalty, [-2, 2]);
  between('frequency_penalty', config.frequencyPenalty, [-2, 2]);
  if (config.topK !== undefined && config.topK < 1) {
    throw invalidField(at('top_k'), 'top_k must be positive.');
  }
  const penalty = [config.presencePenalty, config.frequencyPenalty].some((value) => value !== undefined);
  if (penalty && !model.penalties) throw invalidArgument('Penalty is not enabled for this model');
}

function outputLength({ maxOutputTokens: wanted }: GenerationConfig, { outputTokensMax }: SimulatedModel) {
  if (wanted === undefined || (wanted >= 1 && wanted <= outputTokensMax)) return;
  const range = `from 1 (inclusive) to ${outputTokensMax + 1} (exclusive)`;
  const message = `Unable to submit request because it has a maxOutputTokens value of ${wanted} but the supported range is ${range}. Update the value and try again.`;
  throw invalidArgument(message);
}

function stops({ stopSequences = [] }: GenerationConfig): void {
  if (stopSequences.length > 5) {
    throw invalidField(at('stop_sequences'), 'at most 5 stop sequences are allowed');
  }
  const empty = stopSequences.indexOf('');
  if (empty >= 0) throw invalidField(at(`stop_sequences[${empty}]`), 'must not be empty');
}

function candidates({ candidateCount: count }: GenerationConfig, model: SimulatedModel): void {
  if (count === undefined) return;
  if (count > 1 && model.candidatesMax === 1) {
    throw invalidArgument('Multiple candidates is not enabled for this model');
  }
  if (count >= 1 && count <= model.candidatesMax) return;
  throw invalidField(at('candidate_count'), `must be in the range [1, ${model.candidatesMax}].`);
}

function probabilities(config: GenerationConfig, model: SimulatedModel): void {
  const { responseLogprobs = false, logprobs: count } = config;
  if (!responseLogprobs && count === undefined) return;
  if (!model.logprobs) throw invalidArgument('Logprobs is not enabled for this model');
  if (!responseLogprobs) throw invalidField(at('logprobs'), 'response_logprobs must be true to use logprobs');
  if (count === undefined || (count >= 1 && count <= 20)) return;
  throw invalidField(at('logprobs'), 'must be in the range [1, 20].');
}

function modalities(config: GenerationConfig, model: SimulatedModel): void {
  const { responseModalities = [] } = config;
  const other = responseModalities.some((one) => one !== 'TEXT');
  if (!other && !config.speechConfig && !config.imageConfig) return;
  const wanted = other ? responseModalities.join(', ') : config.speechConfig ? 'AUDIO' : 'IMAGE';
  const message = `The requested combination of response modalities (${wanted}) is not supported by the model. models/${model.name} accepts the following combination of response modalities:\n* TEXT\n`;
  throw invalidArgument(message);
}

const mimeTypes = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum'];

function responseSchema(config: GenerationConfig): void {
  const { responseMimeType: type = 'text/plain', responseSchema, responseJsonSchema } = config;
  if (!mimeTypes.includes(type)) {
    const names = mimeTypes.map((name) => `\`${name}\``);
    const what = `allowed mimetypes are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
    throw invalidField(at('response_mime_type'), what);
  }
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw invalidArgument('Only one of response_schema and response_json_schema can be set.');
  }
  const field =
    responseSchema !== undefined ? 'response_schema' : responseJsonSchema !== undefined && 'response_json_schema';
  if (field === false) return;
  if (type !== 'application/json' && !(type === 'text/x.enum' && responseSchema?.enum !== undefined)) {
    const name = field.replace(/^r/, 'R');
    throw invalidArgument(`${name} with a response mime type '${type}' is unsupported`);
  }
  if (responseSchema !== undefined) checkSchema(responseSchema, at(field));
  else checkJsonSchema(responseJsonSchema, at(field));
}

function thinks({ thinkingConfig: wanted }: GenerationConfig, { thinking }: SimulatedModel): void {
  if (wanted === undefined) return;
  const { thinkingBudget: budget, thinkingLevel: level } = wanted;
  if (budget !== undefined && level !== undefined) {
    throw invalidArgument('You can only set only one of thinking budget and thinking level.');
  }
  if (thinking.by === 'nothing' && Object.keys(wanted).length > 0) {
    throw invalidArgument('Thinking is not supported for this model.');
  }
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED') takesLevel(level, thinking);
  if (budget !== undefined) takesBudget(budget, thinking);
  if (wanted.includeThoughts !== true) return;
  const off = thinking.by === 'budget' && (budget === 0 || (budget === undefined && !thinking.always));
  if (!off) return;
  throw invalidArgument('Thinking_config.include_thoughts is only enabled when thinking is enabled.');
}

function takesLevel(level: string, thinking: Thinking): void {
  if (thinking.by !== 'level') throw invalidArgument('Thinking level is not supported for this model.');
  if (thinking.levels.some((known) => known === level)) return;
  const message = `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`;
  throw invalidArgument(message);
}

/** Models that think by level also accept a budget, for older callers, but not 0. */
function takesBudget(budget: number, thinking: Thinking): void {
  const { min, max, off } = thinking.by === 'budget' ? thinking : { min: 1, max: 32_768, off: false };
  if (budget === -1 || (budget === 0 && off) || (budget >= min && budget <= max)) return;
  const message =
    budget === 0
      ? 'Budget 0 is invalid. This model only works in thinking mode.'
      : `The thinking budget ${budget} is invalid. Please choose a value between ${min} and ${max}.`;
  throw invalidArgument(message);
}
