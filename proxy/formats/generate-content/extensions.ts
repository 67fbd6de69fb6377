// Fields beside the conversation and its generation: the service tier, and the vendor's own that callers may send in either
// spelling (SDK types `SafetySetting`, `GenerateContentConfig.cachedContent`).
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';

/** Filters in place of the vendor's own. @throws GatewayError invalid_request */
export function safetySettings(fields: JsonObject): readonly JsonObject[] | undefined {
  const name = given(fields, 'safety_settings') ? 'safety_settings' : 'safetySettings';
  const settings = fields[name];
  if (settings === undefined || settings === null) return undefined;
  if (Array.isArray(settings) && settings.every(isSetting)) return settings;
  throw invalid(name, `${name} must be an array of objects with a category and a threshold`);
}

function isSetting(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.category === 'string' && typeof value.threshold === 'string';
}

/** Name of a prompt that the vendor keeps. @throws GatewayError invalid_request */
export function cachedContent(fields: JsonObject): string | undefined {
  const name = given(fields, 'cached_content') ? 'cached_content' : 'cachedContent';
  const content = fields[name];
  if (content === undefined || content === null) return undefined;
  if (typeof content === 'string') return content;
  throw invalid(name, `${name} must be the name of a cached content`);
}

/** The vendor's words; undefined for its usual tier, which older models know no word for. */
const tiers: ReadonlyMap<unknown, string | undefined> = new Map([
  ['auto', undefined],
  ['default', undefined],
  ['standard', undefined],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

export function isTier(value: unknown): boolean {
  return tiers.has(value);
}

export function serviceTier({ service_tier: tier }: JsonObject): string | undefined {
  return tiers.get(tier);
}

function given(fields: JsonObject, name: string): boolean {
  return fields[name] !== undefined && fields[name] !== null;
}

/** The tier that served, in the callers' words, for those who asked for one. */
export function toldTier({ service_tier: asked }: JsonObject, head: IncomingHttpHeaders): JsonObject {
  const tier = head['x-gemini-service-tier'];
  if (asked === undefined || asked === null || typeof tier !== 'string') return {};
  return { service_tier: tier === 'standard' ? 'default' : tier };
}
