// The text of a simulated model, in the pieces that a stream's events carry: of the requested length, cut at a token
// limit, ended before a stop sequence. The joined pieces are the text.
import type { Behaviour } from './behaviour.ts';
import { estimateTokens, firstTokens, words } from './tokens.ts';

export interface Speech {
  readonly deltas: readonly string[];
  readonly tokens: number;
}

/** @param text used unless the behaviour wants a number of tokens */
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

/** Ends the text before the first stop sequence; `stop` is that sequence. */
export function beforeStop(speech: Speech, stops: readonly string[]): Speech & { readonly stop: string | undefined } {
  const text = speech.deltas.join('');
  const met = stops
    .map((stop) => ({ stop, at: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return met === undefined ? { ...speech, stop: undefined } : { ...spoken(text.slice(0, met.at)), stop: met.stop };
}
