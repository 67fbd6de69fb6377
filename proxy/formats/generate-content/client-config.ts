// Reads how a client wants the response (SDK type `GenerationConfig` of @google/genai) into fields of chat completions.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { effortOfBudget, isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { camelNames } from './client-names.ts';
import { chatSchema } from './client-schema.ts';

const path = 'generationConfig';

/** Fields that mean the same in chat completions, where `top_k` is an extension. */
const same: readonly (readonly [string, string])[] = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['maxOutputTokens', 'max_tokens'],
  ['stopSequences', 'stop'],
  ['seed', 'seed'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
];

const readFields: ReadonlySet<string> = new Set([
  ...same.map(([name]) => name),
  ...['candidateCount', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities'],
  ...['thinkingConfig', 'responseFormat'],
]);

/** @throws GatewayError invalid_request that names the field */
export function readConfig(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw invalid(path, `${path} must be an object`);
  const config = withFormat(camelNames(value, path), losses);
  const lost = Object.keys(config).filter((name) => isGiven(config[name]) && !readFields.has(name));
  for (const name of lost) losses.drop(`${path}.${name}`);
  const given = same.filter(([name]) => isGiven(config[name]) && !isEmpty(config[name]));
  return {
    ...Object.fromEntries(given.map(([name, chatName]) => [chatName, config[name]])),
    ...candidates(config.candidateCount, losses),
    ...responseFormat(config, losses),
    ...reasoning(config.thinkingConfig, losses),
  };
}

/** With the older names of `responseFormat` (SDK type `ResponseFormat`): text may be JSON, other kinds are refused. */
function withFormat(config: JsonObject, losses: LossList): JsonObject {
  const at = `${path}.responseFormat`;
  const all = objectsOf([config.responseFormat].flat()).map((one) => camelNames(one, at));
  if (all.some(({ text: _, ...others }) => Object.values(others).some(isGiven))) losses.refuse(at);
  const [text] = all.flatMap((one) => (isObject(one.text) ? [camelNames(one.text, `${at}.text`)] : []));
  if (text === undefined) return config;
  const { mimeType, schema } = text;
  const type = mimeType === 'APPLICATION_JSON' ? 'application/json' : mimeType;
  return {
    ...config,
    responseMimeType: type === 'TEXT_PLAIN' ? 'text/plain' : type,
    ...(isGiven(schema) && { responseJsonSchema: schema }),
  };
}

/** A list of stop texts may be empty. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function candidates(count: unknown, losses: LossList): JsonObject {
  if (!isGiven(count) || plainNumber(count) === 1) return {};
  losses.refuse(`${path}.candidateCount`);
  return { n: count };
}

function responseFormat(config: JsonObject, losses: LossList): JsonObject {
  const { responseMimeType: type, responseSchema, responseJsonSchema, responseModalities: modalities } = config;
  if (isGiven(modalities) && !isText(modalities)) losses.refuse(`${path}.responseModalities`);
  if (isGiven(type) && type !== '' && type !== 'text/plain' && type !== 'application/json') {
    losses.refuse(`${path}.responseMimeType`);
    return {};
  }
  const name = isGiven(responseJsonSchema) ? 'responseJsonSchema' : 'responseSchema';
  const schema = responseJsonSchema ?? responseSchema;
  if (!isGiven(schema)) return type === 'application/json' ? { response_format: { type: 'json_object' } } : {};
  if (!isObject(schema)) throw invalid(`${path}.${name}`, `${path}.${name} must be a schema object`);
  const lose = (keyword: string) => losses.drop(`${path}.responseSchema.${keyword}`);
  const own = name === 'responseSchema' ? chatSchema(schema, lose) : schema;
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: own } } };
}

function isText(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.every((one) => one === 'TEXT' || one === 'MODALITY_UNSPECIFIED');
}

/** Whether a response contains thoughts is up to the model of another vendor. */
const thinkingFields: ReadonlySet<string> = new Set(['thinkingLevel', 'thinkingBudget']);

const levels: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high']);

/** SDK type `ThinkingConfig`. A budget of -1 leaves it to the model. */
function reasoning(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  const at = `${path}.thinkingConfig`;
  if (!isObject(value)) throw invalid(at, `${at} must be an object`);
  const config = camelNames(value, at);
  losses.dropOthers(config, thinkingFields, at);
  const { thinkingLevel, thinkingBudget } = config;
  const level = String(thinkingLevel ?? '').toLowerCase();
  if (levels.has(level)) return { reasoning_effort: level };
  const budget = plainNumber(thinkingBudget);
  if (isGiven(thinkingBudget) && budget === undefined) {
    throw invalid(`${at}.thinkingBudget`, `${at}.thinkingBudget must be a number`);
  }
  if (budget === undefined || budget < 0) return {};
  return { reasoning_effort: effortOfBudget(budget) };
}
