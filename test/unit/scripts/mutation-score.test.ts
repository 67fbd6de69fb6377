import type { MutantResult, MutantStatus } from '@stryker-mutator/api/core';
import { describe, expect, it } from 'vitest';
import { mutantKey, pickSample } from '../../../scripts/mutation/sample.ts';
import { countScore, scoreLine, survivorLines } from '../../../scripts/mutation/score.ts';

const text = 'export function isOver(spent: number, limit: number) {\n  return spent > limit;\n}\n';

function mutant(status: MutantStatus, replacement = 'true'): MutantResult {
  return {
    id: '1',
    fileName: 'proxy/a.ts',
    mutatorName: 'ConditionalExpression',
    location: { start: { line: 2, column: 10 }, end: { line: 2, column: 23 } },
    replacement,
    status,
  };
}

describe('the mutation score', () => {
  const score = countScore(
    (['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'] as const).map((status) =>
      mutant(status),
    ),
  );

  it('counts a mutant that hangs as killed, and a mutant without a covering test as not killed', () => {
    expect(score).toEqual({ killed: 3, survived: 1, uncovered: 1, onLoad: 1, leftOut: 1 });
  });

  it('is the share of killed mutants among those that were tried', () => {
    expect(scoreLine('access', score)).toContain('access: 60.0 % (3 of 5 mutants killed');
  });

  it('of no mutants is not a number', () => {
    expect(scoreLine('access', countScore([]))).toContain('access: – %');
  });
});

describe('the list of surviving mutants', () => {
  it('shows the original code and its replacement', () => {
    expect(survivorLines([mutant('Killed'), mutant('Survived')], () => text)).toEqual([
      'proxy/a.ts:2:10 ConditionalExpression: spent > limit → true',
    ]);
  });

  it('marks code without a covering test', () => {
    expect(survivorLines([mutant('NoCoverage')], () => text)[0]).toContain('(not covered)');
  });

  it('shows a change of several lines on one line', () => {
    const location = { start: { line: 1, column: 54 }, end: { line: 3, column: 2 } };
    expect(survivorLines([{ ...mutant('Survived', '{}'), location }], () => text)).toEqual([
      'proxy/a.ts:1:54 ConditionalExpression: { return spent > limit; } → {}',
    ]);
  });
});

describe('a sample of mutants', () => {
  const keys = Array.from({ length: 100 }, (_, at) => mutantKey('proxy/a.ts', mutant('Survived', `${at}`)));

  it('has its exact size, or contains all mutants', () => {
    expect(pickSample(keys, { size: 10, seed: 1 }).size).toBe(10);
    expect(pickSample(keys, { size: 101, seed: 1 }).size).toBe(100);
  });

  it('is the same for the same seed in any order, and differs for another seed', () => {
    const sample = pickSample(keys, { size: 10, seed: 1 });
    expect(pickSample(keys.toReversed(), { size: 10, seed: 1 })).toEqual(sample);
    expect(pickSample(keys, { size: 10, seed: 2 })).not.toEqual(sample);
  });

  it('only loses mutants that no longer exist', () => {
    const sample = pickSample(keys, { size: 10, seed: 1 });
    const [gone = ''] = sample;
    const later = pickSample(
      keys.slice().filter((key) => key !== gone),
      { size: 10, seed: 1 },
    );
    expect([...sample].filter((key) => !later.has(key))).toEqual([gone]);
  });
});
