// Secrets: the labelled corpus with its floor, and what the corpus cannot show: pieces, invisible characters, what is longer than a window.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import type { Finding } from '../../../../guardrails/matcher.ts';
import { type Labelled, labelledTexts } from '../secrets.corpus.ts';

const matcher = compileSecrets({ kind: 'secrets' });
const texts = labelledTexts();

function findWhole(raw: string, window = 512): readonly Finding[] {
  return matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, window).findings;
}

/** Findings of one label that follow directly are one: the lines of a key. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const all: Finding[] = [];
  for (const finding of findings) {
    const last = all.at(-1);
    if (last?.end === finding.start && last.label === finding.label)
      all.splice(-1, 1, { ...last, end: finding.end });
    else all.push(finding);
  }
  return all;
}

const written = ({ start, end, label }: Finding) => `${start}-${end} ${label}`;

describe('the corpus', () => {
  it('is large, and half of it holds nothing', () => {
    console.log(
      `${texts.length} texts, ${texts.filter(({ spans }) => spans.length === 0).length} of them without a secret`,
    );
    expect(texts.length).toBeGreaterThanOrEqual(500);
  });

  it('is found by span with a precision and a recall of at least 0.98', () => {
    let expected = 0;
    let found = 0;
    let right = 0;
    const wrong: string[] = [];
    for (const { what, text, spans } of texts) {
      const wanted = spans.map(written);
      const got = merged(findWhole(text)).map(written);
      expected += wanted.length;
      found += got.length;
      right += got.filter((span) => wanted.includes(span)).length;
      if (got.join() !== wanted.join())
        wrong.push(`${what}: ${wanted.join()} | ${got.join()} | ${text.slice(0, 200)}`);
    }
    console.log(
      `precision ${(right / found).toFixed(4)}, recall ${(right / expected).toFixed(4)} of ${expected} secrets`,
    );
    for (const line of wrong.slice(0, 20)) console.log(line);
    expect(right / found).toBeGreaterThanOrEqual(0.98);
    expect(right / expected).toBeGreaterThanOrEqual(0.98);
  });
});
