// How each known field of a request reaches the inference API. The API reads some fields itself. It passes others to
// the model on request, so the model's maker decides which ones are sent. Fields outside the callers' format are meant
// for the model.
import { atMost } from '../../../../common/exact-number.ts';
import type { JsonObject } from '../../../../common/json.ts';
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import { type FieldName, isGatewayField, isNeutral } from '../../../conversation/fields.ts';
import { isGiven, type NumberRange, readNumber } from '../../../conversation/options.ts';
import type { OptionFields } from '../../../conversation/request.ts';
import { type FieldContext, FieldRules, type FieldTable, type JointField, type OptionsOf } from '../../fields.ts';
import { keepsMetadata } from '../write-request.ts';

type Reader = 'outputLimit' | 'stop' | 'tools' | 'outputMode';

interface StudioContext extends FieldContext {
  readonly options: OptionFields;
}

/** A number that the API reads itself, under the same name. */
interface NumberField {
  readonly path: NumberName;
  readonly range: NumberRange;
  /** Models without this capability do not get the number. */
  readonly onlyWith?: 'sampling' | 'penalties';
  /** The API's maximum if it is below that of the callers' format. */
  readonly ownMax?: number;
}

/** A field that the model gets unchanged, if its maker accepts it. */
interface PassedField {
  readonly path: string;
  readonly passes: true;
  takes?(value: unknown, context: StudioContext): boolean;
}

type NumberName = 'temperature' | 'top_p' | 'frequency_penalty' | 'presence_penalty' | 'seed';
type Row = JointField<Reader, StudioContext> | NumberField | PassedField;
type Family = ModelCapabilities['family'];

const gpt: readonly Family[] = ['gpt'];
/** Families that also accept the fields of open models' servers. */
const open: readonly Family[] = ['gpt', 'claude', 'nova', 'command', 'other'];
const openAndMistral: readonly Family[] = [...open, 'mistral'];

const fields = {
  temperature: { path: 'temperature', range: { min: 0, max: 2 }, onlyWith: 'sampling', ownMax: 1 },
  top_p: { path: 'top_p', range: { min: 0, max: 1 }, onlyWith: 'sampling' },
  frequency_penalty: { path: 'frequency_penalty', range: { min: -2, max: 2 }, onlyWith: 'penalties' },
  presence_penalty: { path: 'presence_penalty', range: { min: -2, max: 2 }, onlyWith: 'penalties' },
  // The API's own range: 64 bits.
  seed: { path: 'seed', range: { min: -(2 ** 63), max: 2 ** 63, whole: true } },
  max_completion_tokens: { readBy: 'outputLimit', path: 'max_tokens' },
  max_tokens: { readBy: 'outputLimit', path: 'max_tokens' },
  stop: { readBy: 'stop', path: 'stop' },
  tools: { readBy: 'tools', path: 'tools' },
  functions: { readBy: 'tools', path: 'tools' },
  tool_choice: { readBy: 'tools', path: 'tool_choice' },
  function_call: { readBy: 'tools', path: 'tool_choice' },
  response_format: { readBy: 'outputMode', path: 'response_format' },
  // A GPT model gets what its vendor accepts, and refuses the rest with its vendor's messages.
  audio: passedTo('audio', gpt),
  logit_bias: passedTo('logit_bias', open),
  logprobs: passedTo('logprobs', open),
  metadata: {
    path: 'metadata',
    passes: true,
    takes: (_value, { capabilities, options }) => capabilities.family === 'gpt' && keepsMetadata(options),
  },
  modalities: passedTo('modalities', gpt),
  moderation: passedTo('moderation', gpt),
  n: passedTo('n', openAndMistral),
  parallel_tool_calls: passedTo('parallel_tool_calls', openAndMistral),
  prediction: passedTo('prediction', gpt),
  prompt_cache_key: passedTo('prompt_cache_key', gpt),
  prompt_cache_options: passedTo('prompt_cache_options', gpt),
  prompt_cache_retention: passedTo('prompt_cache_retention', gpt),
  reasoning_effort: {
    path: 'reasoning_effort',
    passes: true,
    takes: (_value, { capabilities }) => capabilities.family === 'gpt' || capabilities.reasoning === 'effort',
  },
  safety_identifier: passedTo('safety_identifier', gpt),
  service_tier: passedTo('service_tier', gpt),
  store: passedTo('store', gpt),
  top_logprobs: passedTo('top_logprobs', open),
  user: passedTo('user', open),
  verbosity: passedTo('verbosity', gpt),
  web_search_options: 'dropped',
  cache_control: passed('cache_control'),
  cachedContent: passed('cachedContent'),
  cached_content: passed('cached_content'),
  guardrailConfig: passed('guardrailConfig'),
  safetySettings: passed('safetySettings'),
  safety_settings: passed('safety_settings'),
  thinking: passed('thinking'),
  top_k: passed('top_k'),
} as const satisfies FieldTable<Row>;

export type ReadBy<Name extends Reader> = OptionsOf<typeof fields, Name>;

/** The options, typed to the fields that this reader's rows list. */
export function readBy<Name extends Reader>(options: OptionFields, _reader: Name): ReadBy<Name> {
  return options;
}

const rows: ReadonlyMap<string, Row | 'refused' | 'dropped'> = new Map(Object.entries(fields));

const numberFields = [...rows.values()].filter((row) => typeof row === 'object' && 'range' in row);

export const fieldRules = new FieldRules<StudioContext>(fields, { unknown: 'sent' });

/** Paths of the fields that the API reads itself. */
const apiFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  ...[...rows.values()].flatMap((row) => (typeof row === 'string' || 'passes' in row ? [] : [row.path])),
]);

/** @param body as sent to the vendor */
export function hasExtraFields(body: JsonObject): boolean {
  return Object.keys(body).some((name) => !apiFields.has(name));
}

/** @returns the given fields that reach the model unchanged */
export function extraFields(context: StudioContext): JsonObject {
  const extra: JsonObject = {};
  for (const [name, value] of Object.entries(context.options)) {
    if (isGiven(value) && isPassed(name, value, context)) extra[name] = value;
  }
  return extra;
}

function isPassed(name: string, value: unknown, context: StudioContext): boolean {
  if (isGatewayField(name) || isNeutral(name, value)) return false;
  const row = rows.get(name);
  if (row === undefined) return true;
  return typeof row === 'object' && 'passes' in row && (row.takes?.(value, context) ?? true);
}

/** @returns dropped: fields that the model does not accept. @throws GatewayError invalid_request */
export function readNumbers({ options, capabilities }: StudioContext): {
  fields: JsonObject;
  dropped: string[];
} {
  const numbers: JsonObject = {};
  const dropped: string[] = [];
  for (const { path: name, range, onlyWith, ownMax = range.max } of numberFields) {
    const value = readNumber(options, name, range);
    if (value === undefined) continue;
    if (onlyWith === undefined || capabilities[onlyWith]) numbers[name] = atMost(value, ownMax);
    else dropped.push(name);
  }
  return { fields: numbers, dropped };
}

function passed(path: FieldName): PassedField {
  return { path, passes: true };
}

function passedTo(path: FieldName, families: readonly Family[]): PassedField {
  return { path, passes: true, takes: (_value, { capabilities }) => families.includes(capabilities.family) };
}
