// `npm run mutation -- <room> [--sample 200] [--seed 1]`: makes small changes to the room's code, one at a time, and
// lists those that no test detects. Results are cached in node_modules/.cache/stryker: a second run tries only what
// changed, in code or in tests. One process at the lowest priority; a whole room takes hours, a sample of 200 about ten
// minutes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { rangesOf } from './ranges.ts';
import { isRoomName, mutatedFiles, type RoomName, rooms, root } from './rooms.ts';
import type { Sample } from './sample.ts';
import { checkerName, type SampleOptions } from './sample-checker.ts';
import { countScore, scoreLine, survivorLines } from './score.ts';
import { roomVariable } from './vitest.config.ts';

const cache = join(root, 'node_modules/.cache/stryker');
const lowestPriority = 19;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const [name = ''] = positionals;
if (!isRoomName(name) || positionals.length !== 1) {
  console.error(`usage: npm run mutation -- ${Object.keys(rooms).join('|')} [--sample <mutants>] [--seed <number>]`);
  process.exit(2);
}
await run(name, values.sample === undefined ? undefined : sampleOf(values.sample, values.seed));

async function run(room: RoomName, sample: Sample | undefined): Promise<void> {
  process.chdir(root);
  setPriority(lowestPriority);
  process.env[roomVariable] = room;
  mkdirSync(cache, { recursive: true });
  const files = mutatedFiles(rooms[room]);
  const mutate = sample === undefined ? files : await rangesOf(files, sample);
  const results = await new Stryker({ ...optionsFor(room, files, sample), mutate: [...mutate] }).runMutationTest();
  const named = results.map((result) => ({ ...result, fileName: fromRoot(result.fileName) }));
  report(room, named, sample);
}

function optionsFor(room: RoomName, files: readonly string[], sample: Sample | undefined): PartialStrykerOptions {
  const base = join(cache, sample === undefined ? room : `${room}-${sample.size}-${sample.seed}`);
  return {
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool: 'forks' },
    plugins: ['@stryker-mutator/vitest-runner', join(import.meta.dirname, 'sample-checker.ts')],
    ...(sample !== undefined && sampling(`${base}-${fingerprint(files)}`, sample)),
    // A mutant in code that runs on load would need all tests of the room. Nearly all such code is tables, which the
    // compiler checks.
    ignoreStatic: true,
    concurrency: 1,
    // A busy machine must not count as a killed mutant.
    timeoutMS: 30_000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 30,
    incremental: true,
    ...(sample === undefined && { incrementalFile: `${base}.json` }),
    // Not below node_modules, where Node runs no TypeScript.
    tempDirName: join(tmpdir(), 'gateway-mutation'),
    cleanTempDir: 'always',
    // TypeScript 7 has no JavaScript API, by which Stryker would rewrite this file; tests need no types.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${base}.html` },
    allowConsoleColors: false,
  };
}

function sampling(base: string, sample: Sample): PartialStrykerOptions {
  const chosen: SampleOptions = { ...sample, file: `${base}-sample.json` };
  return { checkers: [checkerName], sample: chosen, incrementalFile: `${base}.json` };
}

/** The sample depends on the code: other code has another sample. */
function fingerprint(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 8);
}

function report(room: RoomName, results: readonly MutantResult[], sample: Sample | undefined): void {
  for (const line of survivorLines(results, (file) => readFileSync(join(root, file), 'utf8'))) console.log(line);
  console.log(scoreLine(room, countScore(results)));
  if (sample !== undefined) console.log(`sample of ${sample.size}, seed ${sample.seed}`);
}

function fromRoot(file: string): string {
  return isAbsolute(file) ? relative(root, file) : file;
}

function sampleOf(size: string, seed: string): Sample {
  const sample = { size: Number(size), seed: Number(seed) };
  if (Number.isSafeInteger(sample.size) && sample.size > 0 && Number.isSafeInteger(sample.seed)) return sample;
  console.error('--sample and --seed are whole numbers, --sample above 0');
  process.exit(2);
}
