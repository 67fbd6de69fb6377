import { describe, expect, it } from 'vitest';
import { periodOf } from '../../../console/src/pages/shared/periods.ts';

const now = Date.parse('2026-03-01T10:20:30Z');

describe('periods of reports', () => {
  it.each([
    ['today', { from: '2026-03-01T00:00:00.000Z' }],
    ['24h', { from: '2026-02-28T10:00:00.000Z' }],
    ['7d', { from: '2026-02-23T00:00:00.000Z' }],
    ['30d', { from: '2026-01-31T00:00:00.000Z' }],
    ['month', { from: '2026-03-01T00:00:00.000Z' }],
    ['last-month', { from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' }],
    [undefined, { from: '2026-03-01T00:00:00.000Z' }],
  ])('%s begins and ends in UTC', (id, period) => {
    expect(periodOf(id, now)).toEqual(period);
  });

  it('last month of January is December', () => {
    expect(periodOf('last-month', Date.parse('2026-01-15T00:00:00Z'))).toEqual({
      from: '2025-12-01T00:00:00.000Z',
      to: '2026-01-01T00:00:00.000Z',
    });
  });
});
