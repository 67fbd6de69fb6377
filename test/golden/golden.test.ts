// Golden files: test/golden/<provider>/<case>/ holds one request and what came of it, as files that a person can read.
//   request.json     the caller's body; `upstream.json` is what the vendor gets for it
//   target.json      where it goes and with whose key, if not to the vendor's default URL with a stored one
//   answer.json|txt  the vendor's answer; `completion.json` is what the caller gets
//   stream.sse|bin|jsonl  the vendor's stream; `chunks.sse` is what the caller gets, the same however the bytes are cut
//   error.json       {status, head, body} of the vendor; `told.json` is what the caller is told
// `GOLDEN=write npm test -- test/golden` writes the second file of each pair; read the difference before you commit it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providers } from '../../proxy/providers/index.ts';
import { type GoldenCase, openGoldenCase, readInPieces } from '../support/golden.ts';

const writing = process.env.GOLDEN === 'write';
const root = import.meta.dirname;

describe.each(providers.map((provider) => [provider.name, provider] as const))('%s', (name, provider) => {
  const folder = join(root, name);
  const cases = existsSync(folder) ? readdirSync(folder).sort() : [];

  it('has golden files', () => {
    expect(cases).not.toEqual([]);
  });

  describe.each(cases)('%s', (caseName) => {
    const golden = openGoldenCase(join(folder, caseName), provider);

    if (golden.files.has('request.json')) {
      it('sends the vendor what is written down', async () => {
        expectText(golden, 'upstream.json', json(await golden.upstream()));
      });
    }
    if (golden.responseFile !== undefined) {
      it('reads the answer as written down', () => {
        expectText(golden, 'completion.json', json(golden.completion()));
      });
    }
    if (golden.streamFile !== undefined) {
      it('reads the stream as written down', () => {
        expectText(golden, 'chunks.sse', golden.chunks());
      });
      it('reads the same however the stream is cut', () => {
        const bytes = golden.streamBytes();
        const whole = golden.chunks();
        for (let cut = 1; cut < bytes.length; cut++) {
          const reported = readInPieces(golden.openStream(), [bytes.subarray(0, cut), bytes.subarray(cut)]);
          if (reported !== whole) expect(reported, `cut at byte ${cut}`).toBe(whole);
        }
        const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
        expect(readInPieces(golden.openStream(), single)).toBe(whole);
      });
    }
    if (golden.files.has('error.json')) {
      it('tells the error as written down', () => {
        expectText(golden, 'told.json', json(golden.vendorError()));
      });
    }
  });
});

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function expectText(golden: GoldenCase, file: string, actual: string): void {
  const path = join(golden.folder, file);
  if (writing) writeFileSync(path, actual);
  expect(existsSync(path), `${file} is missing; write it with GOLDEN=write`).toBe(true);
  expect(actual).toBe(readFileSync(path, 'utf8'));
}
