// Converts log probabilities of a response's tokens (SDK type `LogprobsResult`) to the callers' form (SDK type
// `ChatCompletion.Choice.Logprobs`).
import { isNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';

/** Undefined if there are none. */
export function logprobsOf(probabilities: JsonObject | undefined): JsonObject | undefined {
  const chosen = probabilities?.chosenCandidates;
  if (!Array.isArray(chosen) || chosen.length === 0) return undefined;
  const top: unknown[] = Array.isArray(probabilities?.topCandidates) ? probabilities.topCandidates : [];
  const content = chosen.map((one: unknown, index) => ({
    ...tokenOf(one),
    top_logprobs: candidatesOf(top[index]).map(tokenOf),
  }));
  return { content, refusal: null };
}

function candidatesOf(step: unknown): readonly unknown[] {
  return isObject(step) && Array.isArray(step.candidates) ? step.candidates : [];
}

function tokenOf(candidate: unknown): JsonObject {
  const { token, logProbability } = isObject(candidate) ? candidate : {};
  const text = typeof token === 'string' ? token : '';
  // The vendor's JSON omits its default, a probability of 1 (logarithm 0).
  const logprob = isNumber(logProbability) ? logProbability : 0;
  return { token: text, logprob, bytes: [...Buffer.from(text)] };
}
