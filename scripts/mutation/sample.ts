// Selects the mutants of a sample: those with the lowest hash of seed and mutant. The same seed selects the same
// mutants on every machine, and a change of one file hardly changes the selection in others.
import { createHash } from 'node:crypto';
import type { Mutant } from '@stryker-mutator/api/core';

export interface Sample {
  readonly size: number;
  readonly seed: number;
}

/** @param file of the mutant, from the root of the repository */
export function mutantKey(file: string, { location, mutatorName, replacement }: Mutant): string {
  const { start, end } = location;
  const range = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${file}:${range} ${mutatorName} ${replacement}`;
}

export function pickSample(keys: readonly string[], { size, seed }: Sample): ReadonlySet<string> {
  const ranked = keys.map((key) => ({ key, rank: rankOf(key, seed) }));
  ranked.sort((a, b) => Buffer.compare(a.rank, b.rank));
  return new Set(ranked.slice(0, size).map(({ key }) => key));
}

function rankOf(key: string, seed: number): Buffer {
  return createHash('sha256').update(`${seed} ${key}`).digest();
}
