// The cost of guardrails on a stream: how many tokens are held back before the first text leaves, and the processor
// time of a token.
import { expect, it } from 'vitest';
import { compilePattern } from '../../../guardrails/kinds/pattern.ts';
import { compilePhrases } from '../../../guardrails/kinds/phrases.ts';
import type { Guard } from '../../../guardrails/window.ts';
import {
  chunkOf,
  eventOf,
  finishOf,
  fullWindow,
  guarded,
  guardOf,
  marked,
  ParsedStream,
  responseGuards,
} from '../../support/guarded-streams.ts';

const tokens = 2000;
const window = 512;
const words = compilePhrases({
  kind: 'words',
  phrases: Array.from({ length: 1000 }, (_, index) => `phrase ${index} of a list`),
  withinWords: false,
});
const pattern = compilePattern({ kind: 'pattern', patterns: ['[A-Z]{2}-[0-9]{8}'] });
const sentence = 'all the tea is in the pot, and we are very glad to see it there. ';
const parsed = [
  chunkOf({ role: 'assistant', content: '' }),
  ...Array.from({ length: tokens }, (_, at) => chunkOf({ content: tokenAt(at) })),
  finishOf('stop'),
].map((chunk) => Buffer.from(eventOf({ ...chunk, system_fingerprint: 'fp_1', service_tier: 'default' })));

/** Tokens of four characters, the average length. */
function tokenAt(at: number): string {
  const start = (at * 4) % sentence.length;
  return (sentence + sentence).slice(start, start + 4);
}

const rows: readonly (readonly [name: string, guard: Guard | undefined, tokensWithheldMax: number])[] = [
  ['no guardrail', undefined, 0],
  ['phrases, observed', guardOf(words, 'observe'), 0],
  ['1,000 phrases', guardOf(words, 'redact'), 5],
  ['a pattern', guardOf(pattern, 'redact'), 5],
  ['a full window', guardOf(fullWindow(marked('<', '>', 'MARKED')), 'redact'), window / 4],
];

it('a stream is delayed no longer than its matcher needs', async () => {
  const figures: Record<string, object> = {};
  for (const [name, guard, tokensWithheldMax] of rows) {
    // The first rounds are slower because their code is being compiled.
    for (let round = 0; round < 10; round++) await flow(guard);
    const before = process.cpuUsage();
    const rounds = 10;
    let firstAt = 0;
    for (let round = 0; round < rounds; round++) firstAt = await flow(guard);
    const { user, system } = process.cpuUsage(before);
    figures[name] = {
      'tokens withheld': firstAt,
      'µs a token': Math.round(((user + system) / rounds / tokens) * 10) / 10,
    };
    expect(firstAt, name).toBeLessThanOrEqual(tokensWithheldMax);
  }
  console.table(figures);
});

/** @returns how many tokens had arrived before the one with which the first text left */
async function flow(guard: Guard | undefined): Promise<number> {
  const { source, result } = guard === undefined ? unguarded() : guarded(responseGuards([guard], { window }));
  let come = -1;
  let firstAt: number | undefined;
  const write = (bytes: Buffer) => {
    if (bytes.includes('"content":"') && !bytes.includes('"content":""')) firstAt ??= come;
  };
  const over = Promise.withResolvers<void>();
  const sink = { write, end: over.resolve, fail: over.reject };
  const flowing = Promise.resolve(result).then((stream) => stream.flowTo(sink));
  for (const event of parsed) {
    source.write(event);
    // The stream starts to flow at the next tick.
    if (firstAt === undefined) await new Promise((resolve) => setImmediate(resolve));
    come++;
  }
  source.finish();
  await flowing;
  await over.promise;
  return firstAt ?? tokens;
}

function unguarded() {
  const source = new ParsedStream();
  return { source, result: source };
}
