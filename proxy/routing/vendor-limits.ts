// What a vendor's headers say of its own limits on a response that succeeded: a target without a request or a token left
// is not worth an attempt until it has some. Pure: the clock is a parameter. Runs on each response, so it looks up a few
// names and examines values only if one of them is used up.
import type { IncomingHttpHeaders } from 'node:http';
import { latestReset } from '../upstream/reset-times.ts';

/**
 * OpenAI's and Azure's names (platform.openai.com/docs/guides/rate-limits, "Rate limits in headers") and Anthropic's
 * (docs.anthropic.com/en/api/rate-limits, "Response headers"). Not `anthropic-priority-*`: requests beyond the priority
 * tier continue in the usual one. Azure sends -1 where it does not know.
 */
const remainingNames = [
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-tokens-remaining',
  'anthropic-ratelimit-input-tokens-remaining',
  'anthropic-ratelimit-output-tokens-remaining',
] as const;

/** A vendor that names a later time has not thought of its limits per minute: it is tried once a minute. */
export const exhaustedMsMax = 60_000;

/**
 * @param now milliseconds since 1970, for reset times that are a date
 * @returns for how many milliseconds nothing is left, above 0 up to a minute; undefined if something is left, or if the
 * vendor does not say until when
 */
export function exhaustedForMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  for (const name of remainingNames) if (headers[name] === '0') return boundedReset(headers, now);
  return undefined;
}

function boundedReset(headers: IncomingHttpHeaders, now: number): number | undefined {
  const seconds = latestReset(headers, now);
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return Math.min(Math.ceil(seconds * 1000), exhaustedMsMax);
}
