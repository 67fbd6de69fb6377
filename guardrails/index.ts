// The kinds of guardrails that look at text alone: a new one is a file in kinds/ and a line here.
import type { Check } from './definition.ts';
import { compilePattern } from './kinds/pattern.ts';
import { compilePersonalData } from './kinds/personal-data.ts';
import { compileWords } from './kinds/phrases.ts';
import { compileSecrets } from './kinds/secrets.ts';
import type { Matcher } from './matcher.ts';
import { readTwice } from './read-twice.ts';

export { InvalidCheckError } from './invalid-check.ts';

export type TextKind = 'words' | 'pattern' | 'personal_data' | 'secrets';

type CheckOf = { readonly [Kind in TextKind]: Extract<Check, { kind: Kind }> };

export type TextCheck = CheckOf[TextKind];

export type TextKinds = { readonly [Kind in TextKind]: (check: CheckOf[Kind]) => Matcher };

const kinds: TextKinds = {
  words: (check) => readTwice(compileWords(check)),
  pattern: compilePattern,
  personal_data: compilePersonalData,
  secrets: (check) => readTwice(compileSecrets(check)),
};

/** Whether it can be compiled: the others ask a service, or count. */
export function isTextCheck(check: Check): check is TextCheck {
  return Object.hasOwn(kinds, check.kind);
}

/** Worth keeping: some take milliseconds to compile. @throws InvalidCheckError */
export function compileCheck(check: TextCheck): Matcher {
  return compile(check.kind, check);
}

function compile<Kind extends TextKind>(kind: Kind, check: CheckOf[Kind]): Matcher {
  return kinds[kind](check);
}
