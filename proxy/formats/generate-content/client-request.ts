// Reads a client's request (SDK type `GenerateContentParameters` of @google/genai, on the wire `GenerateContentRequest`
// of v1beta) into chat completions and the extensions that this format has there: `top_k`, `safetySettings`.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { PathFields, ReadClientRequest } from '../client-format.ts';
import { LossList } from '../client-losses.ts';
import { readConfig } from './client-config.ts';
import { camelNames } from './client-names.ts';
import { readTools } from './client-tools.ts';
import { chatTurns, systemTurns } from './client-turns.ts';

/** @throws GatewayError invalid_request that names the field */
export function readClientRequest(sent: JsonObject, path: PathFields): ReadClientRequest {
  const body = requestOf(sent, path);
  if (path.model === undefined || path.model === '') throw invalid('model', 'the path must name a model');
  const losses = new LossList();
  noteLosses(body, losses);
  const all = [...systemTurns(body.systemInstruction, losses), ...chatTurns(body.contents, losses)];
  const chat = {
    model: path.model,
    messages: all.map(({ message }) => message),
    ...(path.stream === true && { stream: true }),
    ...readConfig(body.generationConfig, losses),
    ...readTools(body, losses),
    ...(isGiven(body.safetySettings) && { safetySettings: body.safetySettings }),
    ...tier(body.serviceTier),
  };
  return { chat, origins: all.map(({ at }) => at), losses };
}

/** A request whose tokens are counted may be inside of another one (SDK type `CountTokensParameters`). */
function requestOf(sent: JsonObject, { counts }: PathFields): JsonObject {
  const body = camelNames(sent, '');
  const inner = counts === true ? body.generateContentRequest : undefined;
  if (!isObject(inner)) return body;
  if (isGiven(body.contents)) {
    throw invalid('contents', 'contents and generateContentRequest cannot both be set');
  }
  return camelNames(inner, 'generateContentRequest');
}

const readFields: ReadonlySet<string> = new Set([
  ...['model', 'contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig'],
  ...['safetySettings', 'serviceTier'],
]);

function noteLosses(body: JsonObject, losses: LossList): void {
  for (const name of Object.keys(body)) {
    if (!isGiven(body[name]) || readFields.has(name)) continue;
    // A stored prompt, which only the vendor's own account can read.
    if (name === 'cachedContent') losses.refuse(name);
    else losses.drop(name);
  }
}

/** SDK type `ServiceTier`. */
function tier(value: unknown): JsonObject {
  if (!isGiven(value)) return {};
  return { service_tier: value === 'standard' || value === 'unspecified' ? 'default' : value };
}
