// The scalar fields of a request as the vendor's (SDK type `MessageCreateParams` of @anthropic-ai/sdk), each with what of it
// the vendor does not get.
import { atMost, type JsonNumber } from '../../../common/exact-number.ts';
import type { JsonObject } from '../../../common/json.ts';
import { readCacheMark } from '../../conversation/cache-marks.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven, readMaxTokens, readStop } from '../../conversation/options.ts';
import type { TranslatedCall } from '../format.ts';
import { cacheControl } from './content.ts';
import type { MappedFields } from './tools.ts';

export interface OutputLimit {
  /** The vendor wants one in every request. */
  readonly tokens: JsonNumber;
  /** The caller gave none. */
  readonly isOurs: boolean;
}

/** What every model of the vendor puts out, where nothing is known of it. */
const unknownModelTokens = 4096;

/** @throws GatewayError invalid_request */
export function outputLimit({ request, outputTokensMax }: TranslatedCall): OutputLimit {
  const asked = readMaxTokens(request.options);
  if (asked === undefined) return { tokens: outputTokensMax ?? unknownModelTokens, isOurs: true };
  return { tokens: atMost(asked, outputTokensMax ?? Number.POSITIVE_INFINITY), isOurs: false };
}

/** @throws GatewayError invalid_request */
export function writeOptions(body: JsonObject): MappedFields {
  const all = [stops(body), userId(body), serviceTier(body), cacheOfAll(body)];
  return {
    fields: Object.assign({}, ...all.map(({ fields }) => fields)),
    dropped: all.flatMap(({ dropped }) => dropped),
  };
}

/** The vendor stops at no blank text. */
function stops(body: JsonObject): MappedFields {
  const asked = readStop(body);
  const taken = asked.filter((one) => one.trim() !== '');
  return {
    fields: taken.length === 0 ? {} : { stop_sequences: taken },
    dropped: taken.length < asked.length ? ['stop'] : [],
  };
}

const userIdMax = 256;

/** The vendor wants an opaque id of the end user: nothing that names a person. */
function userId(body: JsonObject): MappedFields {
  const given = ['safety_identifier', 'user'].filter((name) => isGiven(body[name]));
  const odd = given.find((name) => typeof body[name] !== 'string');
  if (odd !== undefined) throw invalid(odd, `${odd} must be a string`);
  const taken = given.find((name) => isOpaque(String(body[name])));
  return {
    fields: taken === undefined ? {} : { metadata: { user_id: body[taken] } },
    dropped: given.filter((name) => name !== taken && body[name] !== body[taken ?? '']),
  };
}

function isOpaque(text: string): boolean {
  return text !== '' && text.length <= userIdMax && !text.includes('@');
}

const tiers: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
  ['standard_only', 'standard_only'],
]);

function serviceTier({ service_tier: tier }: JsonObject): MappedFields {
  if (!isGiven(tier)) return { fields: {}, dropped: [] };
  if (typeof tier !== 'string') throw invalid('service_tier', 'service_tier must be a string');
  const taken = tiers.get(tier);
  if (taken === undefined) return { fields: {}, dropped: ['service_tier'] };
  return { fields: { service_tier: taken }, dropped: [] };
}

/** The extension `cache_control` of the whole request marks its last block. */
function cacheOfAll({ cache_control }: JsonObject): MappedFields {
  return { fields: cacheControl(readCacheMark({ cache_control })), dropped: [] };
}
