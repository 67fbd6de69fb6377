// How the answer is generated (SDK type `GenerationConfig`): the scalar fields of the request under the vendor's names.
import { type JsonNumber, wholeDigits } from '../../../common/exact-number.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { invalid } from '../../conversation/invalid.ts';
import {
  type NumberRange,
  readFlag,
  readMaxTokens,
  readNumber,
  readStop,
} from '../../conversation/options.ts';
import type { OutputMode } from '../../conversation/output-mode.ts';
import type { Part } from '../../conversation/parts.ts';
import type { ThinkingConfig } from '../../models/gemini/thinking.ts';

export interface GenerationContext {
  readonly conversation: Conversation;
  readonly form: OutputMode;
  readonly thinking: ThinkingConfig | undefined;
  readonly capabilities: ModelCapabilities;
}

/**
 * @param fields those fields of the body that this model takes
 * @returns undefined where nothing is asked for
 * @throws GatewayError invalid_request
 */
export function generationConfig(fields: JsonObject, context: GenerationContext): JsonObject | undefined {
  const { conversation, form, thinking, capabilities } = context;
  const config = {
    ...numbers(fields),
    maxOutputTokens: readMaxTokens(fields),
    stopSequences: stopSequences(fields),
    seed: seed(fields),
    responseLogprobs: readFlag(fields, 'logprobs') || undefined,
    logprobs: topLogprobs(fields),
    responseModalities: modalities(fields),
    mediaResolution: mediaResolution(conversation),
    ...answerFields(form, capabilities),
    thinkingConfig: thinking,
  };
  const told = Object.entries(config).filter(([, value]) => value !== undefined);
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

const numberFields: readonly (readonly [string, string, NumberRange])[] = [
  ['temperature', 'temperature', { min: 0, max: 2 }],
  ['top_p', 'topP', { min: 0, max: 1 }],
  ['top_k', 'topK', { min: 1, max: 1_000_000, whole: true }],
  ['n', 'candidateCount', { min: 1, max: 8, whole: true }],
  ['presence_penalty', 'presencePenalty', { min: -2, max: 2 }],
  ['frequency_penalty', 'frequencyPenalty', { min: -2, max: 2 }],
];

function numbers(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    numberFields.map(([name, vendorName, range]) => [vendorName, readNumber(fields, name, range)]),
  );
}

const stopsMax = 5;

function stopSequences(fields: JsonObject): readonly string[] | undefined {
  const stops = readStop(fields).filter((stop) => stop !== '');
  if (stops.length > stopsMax) throw invalid('stop', `stop may hold at most ${stopsMax} texts here`);
  return stops.length > 0 ? stops : undefined;
}

function topLogprobs(fields: JsonObject): JsonNumber | undefined {
  const count = readNumber(fields, 'top_logprobs', { min: 0, max: 20, whole: true });
  return Number(count ?? 0) === 0 ? undefined : count;
}

const seedDigitsMax = 19;

/** The callers' seeds have 64 bits, the vendor's 32: the same one stays the same, and one that fits stays as it is written. */
function seed(fields: JsonObject): JsonNumber | undefined {
  const range = { min: -(2 ** 63), max: 2 ** 63, whole: true };
  const value = readNumber(fields, 'seed', range);
  if (value === undefined) return undefined;
  const whole = BigInt(wholeDigits(value, seedDigitsMax) ?? 0);
  const cut = BigInt.asIntN(32, whole);
  return cut === whole ? value : Number(cut);
}

/** Checked by `takesModalities`. */
function modalities({ modalities: wanted }: JsonObject): readonly string[] | undefined {
  return Array.isArray(wanted) ? wanted.map((one) => String(one).toUpperCase()) : undefined;
}

/** Text with images; sound is refused, as everywhere. */
export function takesModalities(value: unknown): boolean {
  return (
    Array.isArray(value) && value.includes('image') && value.every((one) => one === 'image' || one === 'text')
  );
}

/** One for all images: high where one of them asks for it, low where all do. */
function mediaResolution({ turns }: Conversation): string | undefined {
  const parts = turns.flatMap((turn): readonly Part[] => {
    if (turn.role === 'tool') return turn.results.flatMap((result) => result.parts);
    return turn.role === 'user' ? turn.parts : [];
  });
  const details = parts.flatMap((part) => (part.kind === 'image' ? [part.detail] : []));
  if (details.includes('high')) return 'MEDIA_RESOLUTION_HIGH';
  const isLow = details.length > 0 && details.every((detail) => detail === 'low');
  return isLow ? 'MEDIA_RESOLUTION_LOW' : undefined;
}

function answerFields(form: OutputMode, { schemaLanguage }: ModelCapabilities): JsonObject {
  switch (form.kind) {
    case 'json':
      return { responseMimeType: 'application/json' };
    case 'native':
      return {
        responseMimeType: 'application/json',
        [schemaLanguage === 'openapi' ? 'responseSchema' : 'responseJsonSchema']: form.schema,
      };
    default:
      return {};
  }
}
