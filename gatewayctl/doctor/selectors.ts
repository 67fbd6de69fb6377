// Checks the stored selectors of models. A limit that selects nothing limits nobody; an allow-list that selects nothing
// admits nobody. Pure.
import type { StoredSelector__Output as StoredSelector } from '../../proto/generated/gateway/v1/StoredSelector.ts';
import { enumWords } from '../enum-names.ts';
import { type Finding, listed, ok, skipped, warning } from './finding.ts';
import { hasResponded, type ProbeResult } from './probe.ts';

export function checkSelectors(results: readonly ProbeResult[]): Finding {
  const [check] = results.flatMap((one) => (hasResponded(one) ? (one.status.selectors ?? []) : []));
  if (check === undefined) return skipped('selectors', 'only owners, admins and platform operators see them');
  const { checked, found, selectors } = check;
  if (found === 0) return ok('selectors', `all ${checked} select models that are known`);
  const problems = new Set(selectors.map(({ problem }) => problem));
  return warning(
    'selectors',
    `${found} of ${checked} need attention: ${listed(selectors.map(words))}${found > selectors.length ? '…' : ''}`,
    [...problems].flatMap((problem) => advice[problem] ?? []).join('; '),
  );
}

const advice: Readonly<Record<string, string>> = {
  SELECTOR_PROBLEM_ALIAS:
    'those with an alias had no effect until aliases were understood, and apply now: check that they should, and write them again (an update does)',
  SELECTOR_PROBLEM_UNMATCHED:
    'those that select nothing have no effect in a limit and allow no model in a list: correct them, unless they are for models that are newer than the catalog',
  SELECTOR_PROBLEM_NO_PROVIDER: 'those without a provider can never select anything: write <provider>/<model>',
  SELECTOR_PROBLEM_SHADOWED: 'prices that another price precedes can be deleted',
};

function words({ holder, id, organizationId, problem, selector, countsAs, nearest }: StoredSelector): string {
  const where = selector === undefined && organizationId !== undefined ? ` of organization ${organizationId}` : '';
  const what = selector === undefined ? '' : ` "${selector}"`;
  const counts = countsAs === undefined ? '' : `, which counts as ${countsAs}`;
  const near = nearest.length === 0 ? '' : `, near to ${nearest.join(' and ')}`;
  return `${enumWords(holder) ?? 'something'} ${id}${where}${what} (${enumWords(problem) ?? 'problem'}${counts}${near})`;
}
