// The doctor's check of stored model selectors.
import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../../../gatewayctl/doctor/probe.ts';
import { checkSelectors } from '../../../../gatewayctl/doctor/selectors.ts';
import type { GetStatusResponse__Output as Status } from '../../../../proto/generated/gateway/v1/GetStatusResponse.ts';
import type { SelectorCheck__Output as SelectorCheck } from '../../../../proto/generated/gateway/v1/SelectorCheck.ts';
import type { StoredSelector__Output as StoredSelector } from '../../../../proto/generated/gateway/v1/StoredSelector.ts';

const responseTo = (selectors?: SelectorCheck): ProbeResult => ({
  ...{ status: { ...(selectors && { selectors }) } as Status, sentAt: 0, receivedAt: 0 },
});
const failedCall: ProbeResult = {
  code: 'UNAVAILABLE',
  message: 'why',
  reason: undefined,
  beforeStatus: false,
};

describe('the doctor’s check of stored selectors', () => {
  const wrong: StoredSelector = {
    ...{ holder: 'SELECTOR_HOLDER_LIMIT', id: 'l1', organizationId: 'o1', nearest: [] },
    ...{ problem: 'SELECTOR_PROBLEM_ALIAS', selector: 'openai/*', countsAs: 'gpt-provider/*' },
  };
  const checked = (...selectors: readonly object[]): ProbeResult =>
    responseTo({
      ...{ checkedAt: '2026-03-01T12:00:00.000Z', checked: 12, found: selectors.length },
      selectors: selectors.map((one): StoredSelector => ({ ...wrong, ...one })),
    });

  it('is skipped when no replica reports them', () => {
    for (const results of [[], [responseTo()], [failedCall]])
      expect(checkSelectors(results)).toMatchObject({ check: 'selectors', verdict: 'skipped' });
  });

  it('is ok when all of them select something', () => {
    expect(checkSelectors([checked()])).toMatchObject({
      ...{ verdict: 'ok', says: 'all 12 select models that are known' },
    });
  });

  it('is a warning when a selector was written with an alias, selects nothing, or never counts', () => {
    const unmatched = {
      ...{ id: 'l2', problem: 'SELECTOR_PROBLEM_UNMATCHED', selector: 'gpt-provider/gtp-4o' },
      ...{ countsAs: undefined, nearest: ['gpt-provider/gpt-4o'] },
    };
    const finding = checkSelectors([failedCall, checked({}, unmatched)]);
    expect(finding).toMatchObject({
      verdict: 'warning',
      says: '2 of 12 need attention: limit l1 "openai/*" (alias, which counts as gpt-provider/*), limit l2 "gpt-provider/gtp-4o" (unmatched, near to gpt-provider/gpt-4o)',
    });
    expect(finding.advice).toMatch(/had no effect until aliases were understood.*; those that select nothing/);
  });

  it('reports the organization to operators of the platform', () => {
    const location = { selector: undefined, countsAs: undefined, problem: 'SELECTOR_PROBLEM_NO_PROVIDER' };
    expect(checkSelectors([checked(location)]).says).toBe(
      '1 of 12 need attention: limit l1 of organization o1 (no-provider)',
    );
  });
});
