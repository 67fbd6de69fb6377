// Reads how a client wants the response: `inferenceConfig`, `outputConfig` and `serviceTier`, and the fields of each
// family of models in `additionalModelRequestFields`, which have no type in the SDK (the vendor's pages on its models'
// parameters).
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { effortOfBudget, isGiven } from '../../conversation/options.ts';
import { count } from '../../conversation/usage.ts';
import type { LossList } from '../client-losses.ts';

/** @throws GatewayError invalid_request that names the field */
export function readOptions(body: JsonObject, losses: LossList): JsonObject {
  return {
    ...inference(objectAt(body, 'inferenceConfig'), losses),
    ...ownFields(objectAt(body, 'additionalModelRequestFields'), losses),
    ...output(objectAt(body, 'outputConfig'), losses),
    ...tier(objectAt(body, 'serviceTier').type, losses),
  };
}

/** @throws GatewayError invalid_request */
function objectAt(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw invalid(name, `${name} must be an object`);
  return value;
}

const same: readonly (readonly [string, string])[] = [
  ['maxTokens', 'max_tokens'],
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['stopSequences', 'stop'],
];

const sameNames: ReadonlySet<string> = new Set(same.map(([name]) => name));

function inference(config: JsonObject, losses: LossList): JsonObject {
  losses.dropOthers(config, sameNames, 'inferenceConfig');
  const given = same.filter(([name]) => isGiven(config[name]) && !isEmpty(config[name]));
  return Object.fromEntries(given.map(([name, chatName]) => [chatName, config[name]]));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Fields that are read here, or with the tools. */
const readFields: ReadonlySet<string> = new Set([
  ...['thinking', 'reasoning_config', 'reasoningConfig', 'reasoning_effort', 'output_config'],
  ...['top_k', 'k', 'inferenceConfig', 'tool_choice'],
]);

/** Fields that name what belongs to the whole vendor account, or let the vendor reach other hosts. */
export const ownAccountFields: ReadonlySet<string> = new Set(['container', 'mcp_servers', 'thread']);

function ownFields(extra: JsonObject, losses: LossList): JsonObject {
  for (const name of Object.keys(extra)) {
    if (!isGiven(extra[name]) || readFields.has(name)) continue;
    if (ownAccountFields.has(name)) losses.refuse(`${ownPath}.${name}`);
    else losses.drop(`${ownPath}.${name}`);
  }
  const nova = innerFields(extra, 'inferenceConfig', losses);
  const claude = innerFields(extra, 'output_config', losses);
  const topK = extra.top_k ?? extra.k ?? nova.topK;
  return { ...reasoning(extra), ...(isGiven(topK) && { top_k: topK }), ...claudeFormat(claude.format, losses) };
}

const ownPath = 'additionalModelRequestFields';
/** What is read of the objects in it: that of Nova models, and that of Claude models. */
const innerNames = {
  inferenceConfig: new Set(['topK']),
  output_config: new Set(['effort', 'format']),
} as const;

function innerFields(extra: JsonObject, name: keyof typeof innerNames, losses: LossList): JsonObject {
  const value = extra[name];
  const at = `${ownPath}.${name}`;
  if (isObject(value)) losses.dropOthers(value, innerNames[name], at);
  else if (isGiven(value)) losses.drop(at);
  return isObject(value) ? value : {};
}

/** The Messages API's own field (SDK type `JSONOutputFormat` of @anthropic-ai/sdk). */
function claudeFormat(format: unknown, losses: LossList): JsonObject {
  if (!isGiven(format)) return {};
  const schema = isObject(format) && format.type === 'json_schema' ? format.schema : undefined;
  if (isObject(schema)) return schemaFormat({ name: 'response', strict: true, schema });
  losses.refuse(`${ownPath}.output_config.format`);
  return {};
}

function schemaFormat(schema: JsonObject): JsonObject {
  return { response_format: { type: 'json_schema', json_schema: schema } };
}

/** Each family requests reasoning in its own words. The effort is for vendors that know efforts only. */
function reasoning(extra: JsonObject): JsonObject {
  // The first Claude model of the service that reasons knew the older name.
  const thinking = extra.thinking ?? extra.reasoning_config;
  const { output_config: config, reasoningConfig: nova } = extra;
  const stated = isObject(config) ? (config.effort ?? extra.reasoning_effort) : extra.reasoning_effort;
  const effort = stated ?? novaEffort(nova) ?? thinkingEffort(thinking);
  return { ...(isObject(thinking) && { thinking }), ...(isGiven(effort) && { reasoning_effort: effort }) };
}

function novaEffort(config: unknown): unknown {
  if (!isObject(config)) return undefined;
  return config.type === 'disabled' ? 'none' : (config.maxReasoningEffort ?? undefined);
}

function thinkingEffort(thinking: unknown): string | undefined {
  if (!isObject(thinking)) return undefined;
  if (thinking.type === 'disabled') return 'none';
  const budget = count(thinking.budget_tokens);
  return thinking.type !== 'enabled' || budget === undefined ? undefined : effortOfBudget(budget);
}

/** SDK types `OutputConfig`, `JsonSchemaDefinition`, which has the schema as text. */
function output({ textFormat, effort, ...others }: JsonObject, losses: LossList): JsonObject {
  for (const name of Object.keys(others)) losses.drop(`outputConfig.${name}`);
  return { ...(isGiven(effort) && { reasoning_effort: effort }), ...responseFormat(textFormat) };
}

function responseFormat(format: unknown): JsonObject {
  if (!isGiven(format)) return {};
  const at = 'outputConfig.textFormat';
  const structure = isObject(format) && isObject(format.structure) ? format.structure.jsonSchema : undefined;
  const { schema: text, name, description } = isObject(structure) ? structure : {};
  const schema = typeof text === 'string' ? parseExactJson(text) : undefined;
  if (!isObject(schema)) throw invalid(at, `${at} must have a JSON Schema as text in structure.jsonSchema.schema`);
  const named = typeof name === 'string' && /^[\w-]{1,64}$/.test(name) ? name : 'response';
  return schemaFormat({ name: named, ...(typeof description === 'string' && { description }), strict: true, schema });
}

/** SDK type `ServiceTierType`. Reserved capacity is the account's at this vendor. */
function tier(type: unknown, losses: LossList): JsonObject {
  if (type === 'reserved') losses.drop('serviceTier');
  return isGiven(type) && type !== 'reserved' ? { service_tier: type } : {};
}
