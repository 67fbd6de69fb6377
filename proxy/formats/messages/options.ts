// Writes the scalar fields of a request for the vendor (SDK type `MessageCreateParams` of @anthropic-ai/sdk), each with
// the names of fields that the vendor does not get.
import { atMost, type JsonNumber } from '../../../common/exact-number.ts';
import { readCacheMark } from '../../conversation/cache-marks.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven, readMaxTokens, readStop } from '../../conversation/options.ts';
import type { OptionFields } from '../../conversation/request.ts';
import type { TranslatedCall } from '../format.ts';
import { cacheControl } from './content.ts';
import { type ReadBy, readBy } from './fields.ts';
import type { MappedFields } from './tools.ts';

export interface OutputLimit {
  /** The vendor requires a limit in every request. */
  readonly tokens: JsonNumber;
  /** The gateway chose the limit because the caller gave none. */
  readonly isOurs: boolean;
}

/** A limit that every model of the vendor supports, for a model without known limits. */
const unknownModelTokens = 4096;

/** @throws GatewayError invalid_request */
export function outputLimit({ request, outputTokensMax }: TranslatedCall): OutputLimit {
  const requested = readMaxTokens(readBy(request.options, 'outputLimit'));
  if (requested === undefined) return { tokens: outputTokensMax ?? unknownModelTokens, isOurs: true };
  return { tokens: atMost(requested, outputTokensMax ?? Number.POSITIVE_INFINITY), isOurs: false };
}

/** @throws GatewayError invalid_request */
export function writeOptions(options: OptionFields): MappedFields {
  const all = [
    stops(readBy(options, 'stops')),
    userId(readBy(options, 'userId')),
    serviceTier(readBy(options, 'serviceTier')),
    cacheOfAll(readBy(options, 'cacheOfAll')),
  ];
  return {
    fields: Object.assign({}, ...all.map(({ fields }) => fields)),
    dropped: all.flatMap(({ dropped }) => dropped),
  };
}

/** Blank stop texts are dropped: the vendor does not support them. */
function stops(options: ReadBy<'stops'>): MappedFields {
  const requested = readStop(options);
  const taken = requested.filter((one) => one.trim() !== '');
  return {
    fields: taken.length === 0 ? {} : { stop_sequences: taken },
    dropped: taken.length < requested.length ? ['stop'] : [],
  };
}

const userIdMax = 256;

/** The vendor wants an opaque id of the end user, without personal data such as an e-mail address. */
function userId(options: ReadBy<'userId'>): MappedFields {
  const given = (['safety_identifier', 'user'] as const).filter((name) => isGiven(options[name]));
  const odd = given.find((name) => typeof options[name] !== 'string');
  if (odd !== undefined) throw invalid(odd, `${odd} must be a string`);
  const taken = given.find((name) => isOpaque(String(options[name])));
  return {
    fields: taken === undefined ? {} : { metadata: { user_id: options[taken] } },
    dropped: given.filter((name) => name !== taken && (taken === undefined || options[name] !== options[taken])),
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

function serviceTier({ service_tier: tier }: ReadBy<'serviceTier'>): MappedFields {
  if (!isGiven(tier)) return { fields: {}, dropped: [] };
  if (typeof tier !== 'string') throw invalid('service_tier', 'service_tier must be a string');
  const taken = tiers.get(tier);
  if (taken === undefined) return { fields: {}, dropped: ['service_tier'] };
  return { fields: { service_tier: taken }, dropped: [] };
}

/** The extension `cache_control` of the whole request marks its last block. */
function cacheOfAll({ cache_control }: ReadBy<'cacheOfAll'>): MappedFields {
  return { fields: cacheControl(readCacheMark({ cache_control })), dropped: [] };
}
