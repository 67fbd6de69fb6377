// What matchers find in texts that are there as a whole. Done in place or in a worker: it takes and gives plain values.
import { fold } from '../../guardrails/fold.ts';
import type { Finding, Matcher } from '../../guardrails/matcher.ts';

export interface Scanned {
  /** By text, then by matcher, then by place. */
  readonly hits: readonly Hit[];
  /** Matchers that threw, by their index. */
  readonly failed: readonly number[];
}

export interface Hit extends Finding {
  /** Which text, and which matcher. */
  readonly text: number;
  readonly matcher: number;
}

/** Whatever a matcher throws is its own failure and no other's. */
export function scan(matchers: readonly Matcher[], texts: readonly string[], window: number): Scanned {
  const hits: Hit[] = [];
  const failed: number[] = [];
  for (const [text, raw] of texts.entries()) {
    const inspected = { raw, folded: fold(raw), isEnd: true };
    for (const [index, matcher] of matchers.entries()) {
      if (failed.includes(index)) continue;
      try {
        for (const { start, end, label } of matcher.inspect(inspected, 0, window).findings)
          hits.push({ text, matcher: index, start, end, label });
      } catch {
        failed.push(index);
      }
    }
  }
  return {
    hits: failed.length === 0 ? hits : hits.filter(({ matcher }) => !failed.includes(matcher)),
    failed,
  };
}
