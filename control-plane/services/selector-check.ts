// Reports stored selectors that match nothing. Owners and admins get the present selectors of their organization.
// Platform operators get the ids of the last check, but never the text of an organization's selectors.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import { nearestModels } from '../../catalog/nearest-models.ts';
import type { ModelMatches } from '../../proto/generated/gateway/v1/ModelMatches.ts';
import type { SelectorCheck } from '../../proto/generated/gateway/v1/SelectorCheck.ts';
import type { StoredSelector } from '../../proto/generated/gateway/v1/StoredSelector.ts';
import { selectorHolders, storedProblems } from '../../proto/words/access.ts';
import type { WrittenSelector } from '../domain/model-selector.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { Outcome, ResponseCall } from './method.ts';
import { checkSelectors, type FoundSelector, type SelectorFindings } from './stored-selectors.ts';

/** Undefined if the caller gets no report, or there was no check yet. */
export async function selectorCheck(call: ResponseCall): Promise<SelectorCheck | undefined> {
  const { role, organizationId } = call.caller;
  if (role === 'member') return undefined;
  if (organizationId === undefined) {
    const last = call.deps.replica.selectors();
    return last && checkMessage(last.at, last.findings, locationOf);
  }
  const findings = await checkSelectors({ read: (work) => work(call.db), organizationId });
  return checkMessage(call.now, findings, wholeOf);
}

function checkMessage(
  at: number,
  { checked, counts, found }: SelectorFindings,
  messageOf: (found: FoundSelector) => StoredSelector,
): SelectorCheck {
  return {
    checkedAt: timeText(at),
    checked,
    found: Object.values(counts).reduce((sum, count) => sum + count, 0),
    selectors: found.map(messageOf),
  };
}

function locationOf({ holder, id, organizationId, problem }: FoundSelector) {
  return {
    holder: selectorHolders.names[holder],
    id,
    ...(organizationId !== null && { organizationId }),
    problem: storedProblems.names[problem],
  } satisfies StoredSelector;
}

function wholeOf(found: FoundSelector): StoredSelector {
  const { selector, problem, known } = found;
  const countsAs = canonicalSelector(selector);
  return {
    ...locationOf(found),
    selector,
    ...(countsAs !== selector && { countsAs }),
    nearest: problem === 'unmatched' || problem === 'no_provider' ? [...nearestModels(selector, known.names)] : [],
  };
}

interface MatchesField {
  readonly matches?: ModelMatches | null;
}

/**
 * Adds the matches of a request's selectors to its response, and only there: the audit log contains the selectors
 * themselves.
 * @param selectors undefined if the request had none
 */
export function withMatches<Response extends MatchesField>(
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
