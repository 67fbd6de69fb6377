// Tokens by kind, as in the contract's UsageTokens: the prompt includes its cache reads and writes, the completion its
// reasoning.
import { aNumber, aRecord } from '../../common/json-shape.ts';

export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cacheRead: number;
  /** All of them, including those that live an hour. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly reasoning: number;
}

const kinds = ['prompt', 'completion', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning'] as const;

/** The stored form of tokens, in bills and differences. */
export const theTokens = aRecord<Tokens>({
  prompt: aNumber,
  completion: aNumber,
  cacheRead: aNumber,
  cacheWrite: aNumber,
  cacheWrite1h: aNumber,
  reasoning: aNumber,
});

export const noTokens: Tokens = {
  prompt: 0,
  completion: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  reasoning: 0,
};

export function plusTokens(a: Tokens, b: Tokens): Tokens {
  const sum = { ...a } as { -readonly [Kind in keyof Tokens]: number };
  for (const kind of kinds) sum[kind] += b[kind];
  return sum;
}

/** All tokens that were read and written. */
export function countOf({ prompt, completion }: Tokens): number {
  return prompt + completion;
}
