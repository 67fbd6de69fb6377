// Collects the problems of a request's fields, so that the caller gets all of them at once.
import { all, type Field } from '../domain/field.ts';
import { CallError, type Violation } from './errors.ts';

/**
 * @param fields by their path in the contract's names, such as "allowed_models"
 * @param under path of the message that contains them, such as "samples[3]."
 * @throws CallError with every problem as a field violation
 */
export function checked<const Fields extends Readonly<Record<string, Field<unknown>>>>(fields: Fields, under = '') {
  const read = all(fields);
  if ('value' in read) return read.value;
  throw invalidRequest(read.problems.map(({ at, description }) => ({ field: `${under}${at}`, description })));
}

export function invalidRequest(violations: readonly Violation[]): CallError {
  const first = violations[0];
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new CallError('invalid_request', `${first?.field}: ${first?.description}${more}`, violations);
}

/** @throws CallError if another caller has changed it since it was read */
export function expectRevision(ifRevision: string | undefined, revision: number): void {
  if (ifRevision === undefined || ifRevision === String(revision)) return;
  throw new CallError('revision_mismatch', `it has revision ${revision} by now; read it again and decide anew`);
}
