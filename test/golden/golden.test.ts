// Golden files: test/golden/<provider>/<case>/ contains one request and its results, as files that a person can read.
//   request.json     the caller's body; `upstream.json` is the request that the vendor gets for it
//   target.json      URL and key of the target, if not the vendor's default URL with a stored key
//   answer.json|txt  the vendor's response; `completion.json` is the response that the caller gets
//   stream.sse|bin|jsonl  the vendor's stream; `chunks.sse` is the caller's stream, however the bytes are cut
//   error.json       {status, head, body} of the vendor's error; `told.json` is the error that the caller gets
// `GOLDEN=write npm test -- test/golden` writes the second file of each pair; read the difference before you commit it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providers } from '../../proxy/providers/index.ts';
import { type GoldenCase, openGoldenCase, readInPieces } from '../support/golden.ts';
import { positionsOf } from '../support/seed.ts';

const writing = process.env.GOLDEN === 'write';
const root = import.meta.dirname;

describe.each(providers.map((provider) => [provider.name, provider] as const))('%s', (name, provider) => {
  const folder = join(root, name);
  const cases = existsSync(folder) ? readdirSync(folder).sort() : [];

  it('the provider has golden files', () => {
    expect(cases).not.toEqual([]);
  });

  describe.each(cases)('%s', (caseName) => {
    const golden = openGoldenCase(join(folder, caseName), provider);

    if (golden.files.has('request.json')) {
      it('sends the vendor the request in upstream.json', async () => {
        expectText(golden, 'upstream.json', json(await golden.upstream()));
      });
    }
    if (golden.responseFile !== undefined) {
      it('translates the response to completion.json', () => {
        expectText(golden, 'completion.json', json(golden.completion()));
      });
    }
    if (golden.streamFile !== undefined) {
      it('translates the stream to chunks.sse', () => {
        expectText(golden, 'chunks.sse', golden.chunks());
      });
      it('translates the stream to the same chunks wherever its bytes are cut', () => {
        const bytes = golden.streamBytes();
        const whole = golden.chunks();
        for (const cut of positionsOf(1, bytes.length)) {
          const reported = readInPieces(golden.openStream(), [bytes.subarray(0, cut), bytes.subarray(cut)]);
          if (reported !== whole) expect(reported, `cut at byte ${cut}`).toBe(whole);
        }
        const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
        expect(readInPieces(golden.openStream(), single)).toBe(whole);
      });
    }
    if (golden.files.has('error.json')) {
      it('reports the vendor’s error as in told.json', () => {
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
