// Requests, tokens and cost by organization: a bounded number of series, whatever callers do.
import { describe, expect, it } from 'vitest';
import { newRecord, type RequestRecord } from '../../../../proxy/http/request-record.ts';
import { createMetrics, type ProxyMetrics } from '../../../../proxy/telemetry/metrics.ts';
import { organizationsMax } from '../../../../proxy/telemetry/organization-metrics.ts';

const usage = { promptTokens: 30, completionTokens: 7 } as RequestRecord['usage'];
const times = { total: 10, overhead: undefined, firstByte: undefined };
const record = (fields: Partial<RequestRecord>): RequestRecord => ({ ...newRecord(), status: 200, ...fields });
const ofOrganization = (organizationId: string | undefined, fields: Partial<RequestRecord> = {}) =>
  record({ organizationId, route: 'chat', provider: 'gpt-provider', usage, costNano: 1_500_000_000, ...fields });

/** The samples of organizations, without their common beginning. */
async function samples(metrics: ProxyMetrics): Promise<readonly string[]> {
  const { body } = await metrics.render();
  return [...body.matchAll(/^gateway_organization_(.*)$/gm)].map(([, sample = '']) => sample);
}

describe('the use of an organization', () => {
  it('is its requests by outcome, its tokens and its cost in dollars', async () => {
    const metrics = createMetrics();
    const count = (fields: Partial<RequestRecord>) => metrics.request(ofOrganization('acme', fields), times);
    count({});
    count({ costNano: 1 });
    const unused = { usage: undefined, costNano: 0 };
    count({ ...unused, status: 402, errorSource: 'gateway', errorCode: 'budget_exceeded' });
    count({ ...unused, status: 503, errorSource: 'gateway', errorCode: 'overloaded' });
    count({ ...unused, status: 429, errorSource: 'provider' });
    count({ ...unused, status: 499, errorCode: 'client_left' });
    expect(await samples(metrics)).toEqual([
      'requests_total{organization_id="acme",outcome="ok"} 2',
      'requests_total{organization_id="acme",outcome="refused"} 1',
      'requests_total{organization_id="acme",outcome="failed"} 3',
      'tokens_total{organization_id="acme",kind="input"} 60',
      'tokens_total{organization_id="acme",kind="output"} 14',
      'cost_usd_total{organization_id="acme"} 1.500000001',
    ]);
    // Another scrape adds nothing.
    expect(await samples(metrics)).toContain('cost_usd_total{organization_id="acme"} 1.500000001');
  });

  it('has the cost of cached responses without tokens, nothing of counts of tokens, and what is known later', async () => {
    const metrics = createMetrics();
    metrics.request(ofOrganization('acme', { cache: 'hit' }), times);
    metrics.request(ofOrganization('acme', { route: 'count' }), times);
    expect(await samples(metrics)).toEqual(
      expect.arrayContaining([
        'requests_total{organization_id="acme",outcome="ok"} 2',
        'tokens_total{organization_id="acme",kind="input"} 0',
        'cost_usd_total{organization_id="acme"} 1.5',
      ]),
    );
    metrics.backgroundSettled('settled', ofOrganization('acme'));
    expect(await samples(metrics)).toContain('cost_usd_total{organization_id="acme"} 3');
  });

  it('is not counted for callers without one', async () => {
    const metrics = createMetrics();
    metrics.request(ofOrganization(undefined, { status: 401, errorSource: 'gateway' }), times);
    expect(await samples(metrics)).toEqual([]);
  });

  it('is one series for all organizations beyond the first 200', async () => {
    const metrics = createMetrics();
    for (let number = 0; number < 3 * organizationsMax; number++)
      metrics.request(ofOrganization(`organization-${number}`, { costNano: 0 }), times);
    const lines = (await samples(metrics)).filter((line) => line.includes('outcome="ok"'));
    expect(lines).toHaveLength(organizationsMax + 1);
    expect(lines).toContain(`requests_total{organization_id="other",outcome="ok"} ${2 * organizationsMax}`);
    expect(lines).toContain('requests_total{organization_id="organization-199",outcome="ok"} 1');
  });
});
