// Reads a client's request (SDK type `ConverseRequest` of @aws-sdk/client-bedrock-runtime) into chat completions and the
// extensions that this format has there: `thinking`, `thinking_blocks`, `cache_control`, `top_k`, `citations`.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ChatTurn, ClientTranslation, PathFields, ReadClientRequest } from '../client-format.ts';
import { LossList } from '../client-losses.ts';
import { chatContent, textParts } from './client-blocks.ts';
import { readOptions } from './client-options.ts';
import { chatTools } from './client-tools.ts';
import { chatTurns } from './client-turns.ts';

/** @throws GatewayError invalid_request that names the field */
export function readConverseClientRequest(
  sent: JsonObject,
  path: PathFields,
  invoke: ClientTranslation,
): ReadClientRequest {
  if (path.model === undefined || path.model === '') throw invalid('modelId', 'the path must name a model');
  if (path.counts !== true) return readRequest(sent, path, '');
  const { converse, invokeModel } = isObject(sent.input) ? sent.input : {};
  if (isObject(converse) && isGiven(invokeModel))
    throw invalid('input', 'input must have converse or invokeModel, not both');
  if (isObject(converse)) return readRequest(converse, path, 'input.converse.');
  if (isObject(invokeModel)) return { ...invoke.readRequest(invokedBody(invokeModel.body), path), isEncoded: true };
  throw invalid('input', 'input must be an object with converse or invokeModel');
}

/** @param base path of the request in the body, with a dot */
function readRequest(body: JsonObject, path: PathFields, base: string): ReadClientRequest {
  const losses = new LossList();
  noteLosses(body, losses);
  const all = [...systemTurns(body.system, base, losses), ...chatTurns(body.messages, `${base}messages`, losses)];
  const chat = {
    model: path.model,
    messages: all.map(({ message }) => message),
    ...(path.stream === true && { stream: true }),
    ...readOptions(body, losses),
    ...chatTools(body, losses),
  };
  return { chat, origins: all.map(({ at }) => at), losses };
}

/** The body of InvokeModel, in base64. */
function invokedBody(body: unknown): JsonObject {
  const parsed = typeof body === 'string' ? parseExactJson(Buffer.from(body, 'base64').toString()) : undefined;
  if (isObject(parsed)) return parsed;
  throw invalid('input.invokeModel.body', 'input.invokeModel.body must be a JSON object in base64');
}

const readFields: ReadonlySet<string> = new Set([
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'additionalModelRequestFields', 'outputConfig'],
  ...['serviceTier', 'modelId'],
]);

/** The vendor's guardrails and stored prompts, which belong to the whole vendor account. */
export const accountFields: ReadonlySet<string> = new Set(['guardrailConfig', 'promptVariables']);

function noteLosses(body: JsonObject, losses: LossList): void {
  for (const name of Object.keys(body)) {
    if (!isGiven(body[name]) || readFields.has(name)) continue;
    if (accountFields.has(name)) losses.refuse(name);
    else losses.drop(name);
  }
}

function systemTurns(system: unknown, base: string, losses: LossList): readonly ChatTurn[] {
  if (!isGiven(system)) return [];
  const at = `${base}system`;
  const content = chatContent(system, { at, partsOf: textParts }, losses);
  return content.length === 0 ? [] : [{ message: { role: 'system', content }, at }];
}
