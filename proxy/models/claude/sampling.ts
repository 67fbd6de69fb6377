// How a Claude model samples, with any provider: `temperature`, `top_p` and the vendor's own `top_k`, if the model
// accepts them. A dropped value that equals the vendor's default is not reported.
import { atMost, type JsonNumber } from '../../../common/exact-number.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Options } from '../../conversation/fields.ts';
import { readNumber } from '../../conversation/options.ts';

export interface Sampling {
  readonly temperature: JsonNumber | undefined;
  readonly topP: JsonNumber | undefined;
  readonly topK: JsonNumber | undefined;
  /** Fields that this model does not get. */
  readonly dropped: readonly string[];
}

/**
 * @param thinking whether the model thinks; then it samples by its own rules
 * @throws GatewayError invalid_request
 */
export function readSampling(
  options: Options<'temperature' | 'top_p' | 'top_k'>,
  capabilities: ModelCapabilities,
  thinking: boolean,
): Sampling {
  const temperature = readNumber(options, 'temperature', { min: 0, max: 2 });
  const topP = readNumber(options, 'top_p', { min: 0, max: 1 });
  const topK = readNumber(options, 'top_k', { min: 0, max: 1_000_000, whole: true });
  // The callers' format allows up to 2; the vendor allows up to 1, its default.
  const clamped = temperature === undefined ? undefined : atMost(temperature, 1);
  const missed = {
    temperature: clamped !== undefined && Number(clamped) < 1,
    top_p: topP !== undefined && Number(topP) < 1,
    top_k: topK !== undefined,
  };
  if (!capabilities.sampling || thinking) return { ...vendorDefaults, dropped: names(missed) };
  if (capabilities.samplingTogether || clamped === undefined || topP === undefined) {
    return { temperature: clamped, topP, topK, dropped: [] };
  }
  if (!missed.temperature) return { temperature: undefined, topP, topK, dropped: [] };
  return { temperature: clamped, topP: undefined, topK, dropped: missed.top_p ? ['top_p'] : [] };
}

const vendorDefaults = { temperature: undefined, topP: undefined, topK: undefined };

function names(missed: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(missed).filter((name) => missed[name]);
}
