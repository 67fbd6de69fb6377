// The doctor's check of the catalogs in force.
import { describe, expect, it } from 'vitest';
import { checkCatalog } from '../../../../gatewayctl/doctor/catalog.ts';
import type { ProbeResult } from '../../../../gatewayctl/doctor/probe.ts';
import type { CatalogState__Output as CatalogState } from '../../../../proto/generated/gateway/v1/CatalogState.ts';
import type { GetStatusResponse__Output as Status } from '../../../../proto/generated/gateway/v1/GetStatusResponse.ts';

const state: CatalogState = {
  ...{ asOf: '2026-11-22', digest: '0123456789abcdef' },
  ...{ rejected: false, shippedAsOf: '2026-11-22' },
};

function responseTo(own: CatalogState | null, proxies: Record<string, CatalogState | null> = {}): ProbeResult {
  const watchers = Object.entries(proxies).map(([host, catalog]) => ({ host, catalog }));
  const status = {
    ...{ replica: 'r1', time: '2026-12-01T12:00:00.000Z' },
    ...{ catalog: own, watchers: { watchers, total: watchers.length } },
  };
  return { ...{ status: status as unknown as Status, sentAt: 0, receivedAt: 0 } };
}

describe('the doctor’s check of catalogs', () => {
  it('is skipped when no program reports a catalog', () => {
    for (const results of [[], [responseTo(null, { p1: null })]])
      expect(checkCatalog(results)).toMatchObject({ check: 'catalog', verdict: 'skipped' });
  });

  it('is ok when all catalogs are the same and recent', () => {
    expect(checkCatalog([responseTo(state, { p1: state, p2: null }), responseTo(state)])).toMatchObject({
      ...{ verdict: 'ok', says: 'all go by that of 2026-11-22 (0123456789abcdef)' },
    });
  });

  it('is a warning when catalogs differ, between planes or between proxies', () => {
    const other = { ...state, asOf: '2026-11-30', digest: 'fedcba9876543210' };
    const finding = checkCatalog([responseTo(state, { p1: other, p2: state, p3: other })]);
    expect(finding).toMatchObject({
      verdict: 'warning',
      says: 'there are several: that of 2026-11-22 (0123456789abcdef) at replica r1, proxy p2; that of 2026-11-30 (fedcba9876543210) at proxy p1, proxy p3',
    });
    expect(finding.advice).toContain('the same GATEWAY_CATALOG_FILE');
  });

  it('has failed when a program refused its file', () => {
    expect(checkCatalog([responseTo(state, { p1: { ...state, rejected: true } })])).toMatchObject({
      verdict: 'failed',
      says: 'the file is refused, and the last good one in force, at proxy p1',
    });
  });

  it.each([
    ['2026-10-02', 'ok'],
    ['2026-10-01', 'warning'],
  ])('of a catalog of %s is on 1 December: %s', (asOf, verdict) => {
    const old = { ...state, asOf, shippedAsOf: asOf };
    expect(checkCatalog([responseTo(old)])).toMatchObject({ verdict });
  });

  it('is a warning when the file is older than the shipped catalog', () => {
    const old = { ...state, asOf: '2026-11-20' };
    expect(checkCatalog([responseTo(old)])).toMatchObject({
      verdict: 'warning',
      says: expect.stringContaining('older than the one of 2026-11-22 that came with the programs'),
    });
  });
});
