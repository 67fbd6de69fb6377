// The guardrail kinds that inspect text locally. To add one: a file in kinds/ and a line here.
import type { CheckOf, TextCheck, TextKind } from './definition.ts';
import { compilePattern } from './kinds/pattern.ts';
import { compilePersonalData } from './kinds/personal-data.ts';
import { compilePhrases } from './kinds/phrases.ts';
import { compileSecrets } from './kinds/secrets.ts';
import type { Matcher } from './matcher.ts';
import { readTwice } from './read-twice.ts';

export { InvalidCheckError } from './invalid-check.ts';

export type TextKinds = { readonly [Kind in TextKind]: (check: CheckOf<Kind>) => Matcher };

const kinds: TextKinds = {
  words: (check) => readTwice(compilePhrases(check)),
  pattern: compilePattern,
  personal_data: compilePersonalData,
  secrets: (check) => readTwice(compileSecrets(check)),
};

/** Cache the result: some checks take milliseconds to compile. @throws InvalidCheckError */
export function compileCheck(check: TextCheck): Matcher {
  return compile(check.kind, check);
}

function compile<Kind extends TextKind>(kind: Kind, check: CheckOf<Kind>): Matcher {
  return kinds[kind](check);
}
