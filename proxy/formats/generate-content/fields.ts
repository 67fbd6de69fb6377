// How the vendor gets each known field of a request: its path there (SDK types `GenerateContentConfig`,
// `GenerationConfig`), how it is read, and which of its values the model accepts.
import { type JsonNumber, wholeDigits } from '../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { FieldName, Options } from '../../conversation/fields.ts';
import { invalid } from '../../conversation/invalid.ts';
import {
  isGiven,
  type NumberRange,
  readFlag,
  readMaxTokens,
  readNumber,
  readStop,
} from '../../conversation/options.ts';
import { mayCall } from '../../conversation/output-mode.ts';
import type { OptionFields } from '../../conversation/request.ts';
import type { Tools } from '../../conversation/tools.ts';
import type { Thinking } from '../../models/gemini/thinking.ts';
import {
  type FieldContext,
  FieldRules,
  type FieldTable,
  type JointField,
  type OptionsOf,
  type ScalarField,
  scalarsBelow,
} from '../fields.ts';

type Reader = 'tools' | 'outputMode' | 'thinking' | 'search';

interface GenerateContentContext extends FieldContext {
  readonly stream: boolean;
  readonly options: OptionFields;
  readonly tools: Tools;
  readonly thinking: Thinking;
}

type Row = ScalarField<GenerateContentContext> | JointField<Reader, GenerateContentContext>;

const outputLimit: Row = { path: 'generationConfig.maxOutputTokens', read: readMaxTokens };
const safety: Row = { path: 'safetySettings', read: safetySettings };
const cached: Row = { path: 'cachedContent', read: cachedContent };

/** The vendor's names of tiers. Undefined for its usual tier, because older models have no name for it. */
const tiers: ReadonlyMap<unknown, string | undefined> = new Map([
  ['auto', undefined],
  ['default', undefined],
  ['standard', undefined],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

/** In the order in which they are read and written. */
const fields = {
  temperature: {
    path: 'generationConfig.temperature',
    read: number('temperature', { min: 0, max: 2 }),
    needs: 'sampling',
  },
  top_p: { path: 'generationConfig.topP', read: number('top_p', { min: 0, max: 1 }), needs: 'sampling' },
  top_k: {
    path: 'generationConfig.topK',
    read: number('top_k', { min: 1, max: 1_000_000, whole: true }),
    needs: 'sampling',
  },
  n: {
    path: 'generationConfig.candidateCount',
    read: number('n', { min: 1, max: 8, whole: true }),
    needs: 'severalResponses',
    takes: (_value, { stream }) => !stream,
  },
  presence_penalty: {
    path: 'generationConfig.presencePenalty',
    read: number('presence_penalty', { min: -2, max: 2 }),
    needs: 'penalties',
  },
  frequency_penalty: {
    path: 'generationConfig.frequencyPenalty',
    read: number('frequency_penalty', { min: -2, max: 2 }),
    needs: 'penalties',
  },
  max_completion_tokens: outputLimit,
  max_tokens: outputLimit,
  stop: { path: 'generationConfig.stopSequences', read: stopSequences },
  seed: { path: 'generationConfig.seed', read: seed },
  logprobs: {
    path: 'generationConfig.responseLogprobs',
    read: (options) => readFlag(options, 'logprobs') || undefined,
    needs: 'logprobs',
    takes: (value) => value === true,
  },
  top_logprobs: {
    path: 'generationConfig.logprobs',
    read: topLogprobs,
    needs: 'logprobs',
    takes: (_value, { options }) => options.logprobs === true,
  },
  modalities: {
    path: 'generationConfig.responseModalities',
    read: ({ modalities }) =>
      Array.isArray(modalities) ? modalities.map((one) => String(one).toUpperCase()) : undefined,
    takes: takesModalities,
  },
  safety_settings: safety,
  safetySettings: safety,
  cached_content: cached,
  cachedContent: cached,
  service_tier: {
    path: 'serviceTier',
    read: ({ service_tier: tier }) => tiers.get(tier),
    takes: (value) => tiers.has(value),
  },
  tools: { readBy: 'tools', path: 'tools' },
  functions: { readBy: 'tools', path: 'tools' },
  tool_choice: { readBy: 'tools', path: 'toolConfig.functionCallingConfig' },
  function_call: { readBy: 'tools', path: 'toolConfig.functionCallingConfig' },
  // The vendor has no option to allow only one call at a time.
  parallel_tool_calls: { readBy: 'tools', path: 'toolConfig', takes: (value) => value === true },
  web_search_options: { readBy: 'search', path: 'tools', takes: (_value, { tools }) => !mayCall(tools) },
  response_format: { readBy: 'outputMode', path: 'generationConfig.responseJsonSchema' },
  reasoning_effort: {
    readBy: 'thinking',
    path: 'generationConfig.thinkingConfig',
    takes: (_value, { thinking }) => thinking.fields.includes('reasoning_effort'),
  },
  thinking: {
    readBy: 'thinking',
    path: 'generationConfig.thinkingConfig',
    takes: (_value, { thinking }) => thinking.fields.includes('thinking'),
  },
  audio: 'refused',
  cache_control: 'dropped',
  guardrailConfig: 'dropped',
  logit_bias: 'dropped',
  metadata: 'dropped',
  moderation: 'dropped',
  prediction: 'dropped',
  prompt_cache_key: 'dropped',
  prompt_cache_options: 'dropped',
  prompt_cache_retention: 'dropped',
  safety_identifier: 'dropped',
  store: 'dropped',
  user: 'dropped',
  verbosity: 'dropped',
} as const satisfies FieldTable<Row>;

export const fieldRules = new FieldRules<GenerateContentContext>(fields);
export const configScalars = scalarsBelow(fields, 'generationConfig.');
export const requestScalars = scalarsBelow(fields, '');

export type ReadBy<Name extends Reader> = OptionsOf<typeof fields, Name>;

/** The options, typed to the fields that this reader's rows list. */
export function readBy<Name extends Reader>(options: OptionFields, _reader: Name): ReadBy<Name> {
  return options;
}

function number<Name extends FieldName>(name: Name, range: NumberRange) {
  return (options: Options<Name>) => readNumber(options, name, range);
}

const stopsMax = 5;

function stopSequences(options: Options<'stop'>): readonly string[] | undefined {
  const stops = readStop(options).filter((stop) => stop !== '');
  if (stops.length > stopsMax) throw invalid('stop', `stop may contain at most ${stopsMax} texts here`);
  return stops.length > 0 ? stops : undefined;
}

function topLogprobs(options: Options<'top_logprobs'>): JsonNumber | undefined {
  const count = readNumber(options, 'top_logprobs', { min: 0, max: 20, whole: true });
  return Number(count ?? 0) === 0 ? undefined : count;
}

const seedDigitsMax = 19;

/**
 * The callers' seeds have 64 bits, the vendor's 32. The conversion is deterministic, and a seed that fits keeps its
 * spelling.
 */
function seed(options: Options<'seed'>): JsonNumber | undefined {
  const range = { min: -(2 ** 63), max: 2 ** 63, whole: true };
  const value = readNumber(options, 'seed', range);
  if (value === undefined) return undefined;
  const whole = BigInt(wholeDigits(value, seedDigitsMax) ?? 0);
  const cut = BigInt.asIntN(32, whole);
  return cut === whole ? value : Number(cut);
}

/** Accepts text with images. Audio output is refused, as for every provider. */
function takesModalities(value: unknown): boolean {
  return Array.isArray(value) && value.includes('image') && value.every((one) => one === 'image' || one === 'text');
}

/**
 * Filters that replace the vendor's own (SDK type `SafetySetting`), in either spelling.
 * @throws GatewayError invalid_request
 */
function safetySettings(options: Options<'safety_settings' | 'safetySettings'>): readonly JsonObject[] | undefined {
  const name = isGiven(options.safety_settings) ? 'safety_settings' : 'safetySettings';
  const settings = options[name];
  if (!isGiven(settings)) return undefined;
  if (Array.isArray(settings) && settings.every(isSetting)) return settings;
  throw invalid(name, `${name} must be an array of objects with a category and a threshold`);
}

function isSetting(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.category === 'string' && typeof value.threshold === 'string';
}

/** Name of a prompt that the vendor stores, in either spelling. @throws GatewayError invalid_request */
export function cachedContent(options: Options<'cached_content' | 'cachedContent'>): string | undefined {
  const name = isGiven(options.cached_content) ? 'cached_content' : 'cachedContent';
  const content = options[name];
  if (!isGiven(content)) return undefined;
  if (typeof content === 'string') return content;
  throw invalid(name, `${name} must be the name of a cached content`);
}
