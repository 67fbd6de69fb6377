// The kinds of guardrails that look at text alone: a new one is a file in kinds/ and a line here.
import type { Check } from './definition.ts';
import type { Matcher } from './matcher.ts';

/** Thrown for a check that cannot be: says why, in words for the operator who wrote it. */
export class InvalidCheckError extends Error {
  /** Path in the check, such as "patterns[3]". */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'InvalidCheckError';
    this.field = field;
  }
}

type Compile<Kind extends Check['kind']> = (check: Extract<Check, { kind: Kind }>) => Matcher;

export type TextKind = 'words' | 'pattern' | 'personal_data' | 'secrets';

export type TextCheck = Extract<Check, { kind: TextKind }>;

export type TextKinds = { readonly [Kind in TextKind]: Compile<Kind> };
