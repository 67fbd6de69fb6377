// A Stryker checker that runs only a sample of the mutants. Stryker has no other way to leave out single mutants. They
// are reported as compile errors, which the score ignores. The choice is stored in a file, because a later run that
// reuses results sees only the remaining mutants.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { root } from './rooms.ts';
import { mutantKey, pickSample, type Sample } from './sample.ts';

export const checkerName = 'sample';

export interface SampleOptions extends Sample {
  /** The file of the stored choice. */
  readonly file: string;
}

class SampleChecker implements Checker {
  static inject = tokens(commonTokens.options);
  readonly #options: SampleOptions;

  constructor(options: StrykerOptions & { readonly sample?: SampleOptions }) {
    if (options.sample === undefined) throw new Error('no sample is set');
    this.#options = options.sample;
  }

  async init(): Promise<void> {}

  /** Receives all mutants at once, so that the sample has its exact size. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    const { file } = this.#options;
    if (!existsSync(file)) {
      writeFileSync(file, JSON.stringify([...pickSample(mutants.map(keyOf), this.#options)]));
    }
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const chosen = new Set(JSON.parse(readFileSync(this.#options.file, 'utf8')) as string[]);
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, chosen.has(keyOf(mutant)) ? passed : leftOut]));
  }
}

const passed: CheckResult = { status: CheckStatus.Passed };
const leftOut: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };

function keyOf(mutant: Mutant): string {
  return mutantKey(relative(root, mutant.fileName), mutant);
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, checkerName, SampleChecker)];

export const strykerValidationSchema = {
  properties: {
    sample: {
      type: 'object',
      properties: { size: { type: 'number' }, seed: { type: 'number' }, file: { type: 'string' } },
    },
  },
};
