// Options of the service, independent of the model: its tier, the metadata in its own log, its guardrails (SDK types
// `ServiceTier`, `GuardrailConfiguration`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import type { ReadBy } from './fields.ts';

export interface ServiceOptions {
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}

/** @throws GatewayError invalid_request */
export function readServiceOptions(options: ReadBy<'service'>, stream: boolean): ServiceOptions {
  const tier = readTier(options.service_tier);
  const metadata = readMetadata(options.metadata);
  const guardrail = readGuardrail(options.guardrailConfig, stream);
  return {
    fields: {
      ...(tier.type !== undefined && { serviceTier: { type: tier.type } }),
      ...(metadata.pairs && { requestMetadata: metadata.pairs }),
      ...(guardrail && { guardrailConfig: guardrail }),
    },
    dropped: [...(tier.known ? [] : ['service_tier']), ...(metadata.fits ? [] : ['metadata'])],
  };
}

const tiers: readonly unknown[] = ['default', 'flex', 'priority', 'reserved'];

function readTier(value: unknown): { readonly type?: string; readonly known: boolean } {
  if (value === undefined || value === null || value === 'auto') return { known: true };
  if (typeof value !== 'string') throw invalid('service_tier', 'service_tier must be a string');
  return tiers.includes(value) ? { type: value, known: true } : { known: false };
}

const pairsMax = 16;
const keyForm = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/;
const valueForm = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;

/** Omits metadata with characters or sizes that the callers' format allows and the vendor refuses. */
function readMetadata(value: unknown): { readonly pairs?: JsonObject; readonly fits: boolean } {
  if (value === undefined || value === null) return { fits: true };
  if (!isObject(value)) throw invalid('metadata', 'metadata must be an object');
  const pairs = Object.entries(value);
  if (pairs.length === 0) return { fits: true };
  const fits =
    pairs.length <= pairsMax &&
    pairs.every(([key, one]) => keyForm.test(key) && typeof one === 'string' && valueForm.test(one));
  return fits ? { pairs: value, fits } : { fits };
}

const guardrailFields = ['guardrailIdentifier', 'guardrailVersion', 'trace'];

/** Reads the extension `guardrailConfig`, in the vendor's shape. */
function readGuardrail(value: unknown, stream: boolean): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid('guardrailConfig', 'guardrailConfig must be an object');
  const known = stream ? [...guardrailFields, 'streamProcessingMode'] : guardrailFields;
  const entries = known.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]] as const]));
  for (const [name, one] of entries) {
    if (typeof one !== 'string') throw invalid(`guardrailConfig.${name}`, `guardrailConfig.${name} must be a string`);
  }
  return Object.fromEntries(entries);
}
