// Runs a matcher over a whole text, and over pieces of it as a stream does.
import { expect } from 'vitest';
import { contextMax, fold } from '../../../guardrails/fold.ts';
import type { Finding, Matcher } from '../../../guardrails/matcher.ts';
import type { Random } from '../access/random.ts';

export function findWhole(matcher: Matcher, raw: string, window: number): readonly Finding[] {
  const { findings } = matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, window);
  return findings.map(({ start, end, label }) => ({ start, end, label }));
}

/**
 * Drops text that has left, except for the context that the matcher is promised, and checks the promises of the
 * matcher.
 */
export function findInPieces(matcher: Matcher, pieces: readonly string[], window: number): readonly Finding[] {
  const found: Finding[] = [];
  let raw = '';
  let from = 0;
  let dropped = 0;
  for (const [index, piece] of [...pieces, ''].entries()) {
    raw += piece;
    const isEnd = index === pieces.length;
    const { findings, decided } = matcher.inspect({ raw, folded: fold(raw), isEnd }, from, window);
    expect(decided).toBeGreaterThanOrEqual(from);
    if (found.length + findings.length === 0) expect(decided).toBeGreaterThan(raw.length - window);
    for (const { start, end, label } of findings) {
      expect(start).toBeGreaterThanOrEqual(from);
      expect(start).toBeLessThan(decided);
      from = end;
      found.push({ start: start + dropped, end: end + dropped, label });
    }
    from = Math.max(from, decided);
    const drop = Math.max(0, from - contextMax);
    raw = raw.slice(drop);
    from -= drop;
    dropped += drop;
  }
  return found;
}

/** Pieces of 1 to `lengthMax` units. */
export function cut(text: string, lengthMax: number, random: Random): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(text.slice(at, at + 1 + random.below(lengthMax)));
  }
  return pieces;
}
