// What the selectors of a request select, in its response and nowhere else: the audit log has the selectors themselves.
import type { ModelMatches } from '../../proto/generated/gateway/v1/ModelMatches.ts';
import type { WrittenSelector } from '../domain/model-selector.ts';
import type { Outcome } from '../rpc/method.ts';

interface Telling {
  readonly matches?: ModelMatches | null;
}

/** @param selectors undefined: the request had none */
export function withMatches<Response extends Telling>(
  outcome: Outcome<Response>,
  selectors: readonly WrittenSelector[] | undefined,
): Outcome<Response> {
  const matches = matchesOf(selectors);
  return 'unchanged' in outcome
    ? { unchanged: { ...outcome.unchanged, ...matches } }
    : { ...outcome, result: { ...outcome.result, ...matches } };
}

export function matchesOf(selectors: readonly WrittenSelector[] | undefined) {
  return selectors === undefined ? {} : { matches: { selectors: selectors.map(({ match }) => match) } };
}
