// What a simulated model says, in the pieces that the events of a stream carry: as much as asked, cut at a token limit,
// ended before a stop sequence. Joined, the pieces are the text.
import type { Behaviour } from './behaviour.ts';
import { estimateTokens, firstTokens, words } from './tokens.ts';

export interface Speech {
  readonly deltas: readonly string[];
  readonly tokens: number;
}

/** @param text what is said unless the behaviour asks for so many tokens */
export function speechOf(behaviour: Behaviour, text: () => string): Speech {
  if (behaviour.tokens === undefined) return spoken(text());
  const bytes = behaviour.tokenBytes ?? 6;
  const token = 'token'.padEnd(bytes, ' ').slice(0, bytes);
  return { deltas: Array.from({ length: behaviour.tokens }, () => token), tokens: behaviour.tokens };
}

export function spoken(text: string): Speech {
  return { deltas: words(text), tokens: estimateTokens(text) };
}

export function withinTokens(speech: Speech, limit: number): Speech & { readonly cut: boolean } {
  if (speech.tokens <= limit) return { ...speech, cut: false };
  const oneEach = speech.deltas.length === speech.tokens;
  const deltas = oneEach ? speech.deltas.slice(0, limit) : words(firstTokens(speech.deltas.join(''), limit));
  return { deltas, tokens: limit, cut: true };
}

/** Up to the first of the stop sequences; `stop` is the one that was met. */
export function beforeStop(
  speech: Speech,
  stops: readonly string[],
): Speech & { readonly stop: string | undefined } {
  const text = speech.deltas.join('');
  const met = stops
    .map((stop) => ({ stop, at: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return met === undefined
    ? { ...speech, stop: undefined }
    : { ...spoken(text.slice(0, met.at)), stop: met.stop };
}
