// Gathers what is wrong with the fields of a request, so that a caller learns all of it at once.
import type { Field } from '../domain/field.ts';
import { CallError, type Violation } from './errors.ts';

type Values<Fields extends Record<string, Field<unknown>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never;
};

/**
 * @param fields by their path in the contract's names, such as "allowed_models"
 * @param under path of what they are fields of, such as "samples[3]."
 * @throws CallError with every problem as a field violation
 */
export function checked<const Fields extends Record<string, Field<unknown>>>(
  fields: Fields,
  under = '',
): Values<Fields> {
  const violations: Violation[] = [];
  const values: Record<string, unknown> = {};
  for (const [path, field] of Object.entries(fields)) {
    if ('value' in field) values[path] = field.value;
    else {
      violations.push(
        ...field.problems.map(({ at, description }) => ({ field: `${under}${path}${at}`, description })),
      );
    }
  }
  if (violations.length > 0) throw invalidRequest(violations);
  return values as Values<Fields>;
}

export function invalidRequest(violations: readonly Violation[]): CallError {
  const first = violations[0];
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new CallError('invalid_request', `${first?.field}: ${first?.description}${more}`, violations);
}

/** @throws CallError: somebody else has changed it since it was read */
export function expectRevision(ifRevision: string | undefined, revision: number): void {
  if (ifRevision === undefined || ifRevision === String(revision)) return;
  throw new CallError(
    'revision_mismatch',
    `it has revision ${revision} by now; read it again and decide anew`,
  );
}
