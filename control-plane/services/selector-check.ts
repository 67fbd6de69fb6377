// What callers are told of stored selectors: owners and admins what is in their organization, as of now; operators of the platform
// where something is, as last looked, but nothing of what organizations have written.

import { canonicalSelector } from '../../catalog/model-selector.ts';
import { nearestModels } from '../../catalog/nearest-models.ts';
import type { SelectorCheck } from '../../proto/generated/gateway/v1/SelectorCheck.ts';
import type { StoredSelector } from '../../proto/generated/gateway/v1/StoredSelector.ts';
import { selectorHolders, storedProblems } from '../../proto/words/access.ts';
import { timeText } from '../domain/fields.ts';
import type { AnswerCall } from '../rpc/method.ts';
import { checkSelectors, type FoundSelector, type SelectorFindings } from './stored-selectors.ts';

/** Undefined: nothing is told to this caller, or nobody has looked yet. */
export async function selectorCheck(call: AnswerCall): Promise<SelectorCheck | undefined> {
  const { role, organizationId } = call.caller;
  if (role === 'member') return undefined;
  if (organizationId === undefined) {
    const last = call.deps.replica.selectors();
    return last && checkMessage(last.at, last.findings, placeOf);
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

function placeOf({ holder, id, organizationId, problem }: FoundSelector) {
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
    ...placeOf(found),
    selector,
    ...(countsAs !== selector && { countsAs }),
    nearest:
      problem === 'unmatched' || problem === 'no_provider' ? [...nearestModels(selector, known.names)] : [],
  };
}
