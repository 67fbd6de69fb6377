// The cost of counting a request for its organization: below a microsecond.
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { newRecord } from '../../../../proxy/http/request-record.ts';
import { organizationMetrics } from '../../../../proxy/telemetry/organization-metrics.ts';
import { createTally } from '../../../../proxy/telemetry/tally.ts';
import { processorMs } from '../../../support/processor-time.ts';

it('a request costs less than a microsecond, among hundreds of organizations', () => {
  const { request } = organizationMetrics(createTally(new Registry()));
  const records = Array.from({ length: 300 }, (_, index) => ({
    ...newRecord(),
    ...{ organizationId: `organization-${index}`, status: index % 3 === 0 ? 429 : 200, costNano: index },
  }));
  const rounds = 2_000;
  const count = () => {
    for (let round = 0; round < rounds; round++) for (const record of records) request(record);
  };
  count();
  const us = (1000 * processorMs(count)) / (rounds * records.length);
  console.log(`a request: ${us.toFixed(3)} µs`);
  expect(us).toBeLessThan(10);
});
