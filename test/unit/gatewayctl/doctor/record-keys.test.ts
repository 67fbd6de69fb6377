// The doctor's check of the keys of signed records.
import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../../../gatewayctl/doctor/probe.ts';
import { checkRecordKeys } from '../../../../gatewayctl/doctor/record-keys.ts';
import type { GetStatusResponse__Output as Status } from '../../../../proto/generated/gateway/v1/GetStatusResponse.ts';
import type { RecordKeysState__Output as Keys } from '../../../../proto/generated/gateway/v1/RecordKeysState.ts';

const [one, other] = ['1111111111111111', '2222222222222222'];
const given = (...ids: string[]): Keys => ({ ids, fromControlPlane: false });
const learnt = (...ids: string[]): Keys => ({ ids, fromControlPlane: true });

function responseTo(recordKey: string | undefined, proxies: Record<string, Keys | null> = {}): ProbeResult {
  const watchers = Object.entries(proxies).map(([host, recordKeys]) => ({ host, recordKeys }));
  const status = { replica: 'r1', recordKey, watchers: { watchers, total: watchers.length } };
  return { ...{ status: status as unknown as Status, sentAt: 0, receivedAt: 0 } };
}

describe('the doctor’s check of record keys', () => {
  it('is skipped when the control plane reports no key', () => {
    for (const results of [[], [responseTo(undefined, { p1: null })]])
      expect(checkRecordKeys(results)).toMatchObject({ check: 'record keys', verdict: 'skipped' });
  });

  it('is ok when every proxy with configured keys knows the signing key', () => {
    expect(checkRecordKeys([responseTo(one, { p1: given(other, one), p2: null })])).toMatchObject({
      ...{ verdict: 'ok', says: `records are signed with ${one}, which p1 know` },
    });
  });

  it('fails when a proxy does not know the signing key, and names the proxy', () => {
    const finding = checkRecordKeys([responseTo(one, { p1: given(one), p2: given(other) })]);
    expect(finding).toMatchObject({ verdict: 'failed' });
    expect(finding.says).toContain('these proxies do not know it: p2');
  });

  it('is a warning while replicas sign with different keys', () => {
    const results = [responseTo(one, { p1: given(one, other) }), responseTo(other)];
    expect(checkRecordKeys(results)).toMatchObject({ verdict: 'warning' });
  });

  it('names the proxies without configured keys, whatever keys they learned', () => {
    const finding = checkRecordKeys([responseTo(one, { p1: learnt(), p2: learnt(one) })]);
    expect(finding).toMatchObject({ verdict: 'ok' });
    expect(finding.says).toContain('p1, p2');
  });
});
