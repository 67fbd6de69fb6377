// Phrases in text.
import type { WordsCheck } from '../definition.ts';
import { InvalidCheckError } from '../invalid-check.ts';
import type { Matcher } from '../matcher.ts';

/** @throws InvalidCheckError */
export function compileWords(check: WordsCheck): Matcher {
  if (check.phrases.length === 0) throw new InvalidCheckError('phrases', 'name at least one phrase');
  return { inspect: ({ raw }) => ({ findings: [], decided: raw.length }), cost: 5 };
}
