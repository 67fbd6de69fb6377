// The part of a room's code that a sample needs. Stryker writes every mutant that it may try into the code, and with all
// mutants of a large room V8 runs out of memory for its compiler. With these ranges it writes those of the sample alone.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { root } from './rooms.ts';
import { mutantKey, pickSample, type Sample } from './sample.ts';

/** Of so many times the sample's mutants, enough run in a test: the others run on load and are not tried. */
const spare = 2;

const silent = () => {};
const log = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
};

/**
 * @param files of the room, from the root of the repository
 * @returns Stryker's patterns, `file:line:column-line:column`, of the mutants from which the sample is picked
 */
export async function rangesOf(files: readonly string[], sample: Sample): Promise<readonly string[]> {
  const mutants = await mutantsOf(files);
  const size = spare * sample.size;
  const chosen = pickSample([...mutants.keys()], { ...sample, size });
  return [...new Set([...mutants].filter(([key]) => chosen.has(key)).map(([, mutant]) => rangeOf(mutant)))];
}

async function mutantsOf(files: readonly string[]): Promise<ReadonlyMap<string, Mutant>> {
  const contents = await Promise.all(
    files.map(async (name) => ({ name, mutate: true, content: await readFile(join(root, name), 'utf8') })),
  );
  const { mutants } = await new Instrumenter(log).instrument(contents, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return new Map(mutants.map((mutant) => [mutantKey(mutant.fileName, mutant), mutant]));
}

/** A pattern counts lines from 1 and columns from 0; a mutant counts both from 0. */
function rangeOf({ fileName, location: { start, end } }: Mutant): string {
  return `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
}
