// Explains a failed call in one sentence that ends with how to fix it.
import type { CallFailure } from './call-failure.ts';
import type { Given } from './command.ts';
import { connectionProblem } from './connection-failure.ts';
import { enumWords } from './enum-names.ts';
import { Failure } from './failure.ts';
import { flagFor } from './request.ts';
import { printable } from './table.ts';
import type { Target } from './target.ts';

const advice: Readonly<Record<string, string>> = {
  permission_denied: 'ask a person whose role allows it',
  revision_mismatch: 'look at it again and decide anew',
  name_taken: 'choose another one',
  not_found: 'check the id, and the organization with --organization',
  tls_required: 'connect with TLS',
  provider_key_refused: 'check the secret, or store it all the same with --no-test',
  provider_in_use: 'delete its provider keys first',
  internal: "its operators find the cause in the control plane's log",
};

export function explain(failure: CallFailure, target: Target, givens: readonly Given[]): Failure {
  const { server } = target;
  const { code, reason } = failure;
  if (reason === 'unauthenticated')
    return new Failure('unauthenticated', `${server} does not accept the token; run: gatewayctl login`);
  if (reason === 'unavailable' || reason === 'cancelled')
    return new Failure('unreachable', `${server} cannot serve right now: ${printable(failure.message)}; try again`);
  if (reason !== undefined) return new Failure('refused', refusal(failure, givens));
  if (code === 'UNIMPLEMENTED')
    return new Failure('refused', `${server} does not know this command: it is older than this program`);
  if (code === 'DEADLINE_EXCEEDED' && /remote_addr/.test(failure.message))
    return new Failure(
      'unreachable',
      `${server} has not responded in time; the command may have taken effect: check before you repeat it`,
    );
  if (code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED')
    return new Failure('unreachable', `no connection to ${server}: ${connectionProblem(failure, target).advice}`);
  return new Failure('refused', `${server} responded with ${code}: ${printable(failure.message)}`);
}

function refusal({ message, reason = '', violations }: CallFailure, givens: readonly Given[]): string {
  const fields = violations.map(
    ({ field, description }) => `${flagFor(field, givens)} ${inOurWords(description, givens)}`,
  );
  const what = fields.length > 0 && reason !== 'name_taken' ? fields.join('; ') : message;
  const todo = advice[reason];
  return printable(`the server refused: ${what}${todo === undefined ? '' : `; ${todo}`}`);
}

/** Replaces the contract's names of fields and values by this program's options and choices. */
function inOurWords(description: string, givens: readonly Given[]): string {
  return description
    .replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => flagFor(name, givens))
    .replace(/\b[A-Z]+(?:_[A-Z0-9]+)+\b/g, (name) => enumWords(name) ?? name);
}
