// Rows of a bill: amounts below and above zero, and all problems of a row at once.
import { describe, expect, it } from 'vitest';
import { billRow, signedUsd } from '../../../../control-plane/domain/bill.ts';
import type { BillRow__Output } from '../../../../proto/generated/gateway/v1/BillRow.ts';

describe('an amount of a bill', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['-0.000000000', 0],
    ['0.000000001', 1],
    ['-0.000000001', -1],
    ['-12.5', -12_500_000_000],
    ['9000000', 9_000_000_000_000_000],
    ['-9000000', -9_000_000_000_000_000],
  ])('%s is read to the nano-dollar', (text, nano) => {
    expect(signedUsd(text)).toEqual({ value: nano });
  });

  it.each(['', '-', '--1', '+1', ' 1', '1e3', '.5', '1.', '0.0000000001', '9000000.000000001', '-10000000', '-١'])(
    '%j is refused',
    (text) => {
      expect(signedUsd(text)).toMatchObject({ problems: [{ at: '' }] });
    },
  );
});

describe('a row of a bill', () => {
  const row = {
    references: [{ kind: 'BILL_REFERENCE_KIND_PROJECT', value: 'proj_a' } as const],
    ...{
      model: 'gpt-4o',
      kind: 'BILL_ROW_KIND_USAGE' as const,
      serviceTier: '',
      costUsd: '-0.5',
      requests: '3',
    },
    tokens: {
      ...{ prompt: '7', completion: '1', cacheRead: '0', cacheWrite: '0', cacheWrite1h: '0', reasoning: '0' },
    },
  } as const;

  it('is stored in one form', () => {
    expect(billRow({ ...row, references: [...row.references] })).toEqual({
      value: {
        ...{ refs: '[{"kind":"project","value":"proj_a"}]', model: 'gpt-4o', kind: 'usage', tier: '' },
        ...{ requests: 3, cost: -500_000_000 },
        tokens: '{"prompt":7,"completion":1,"cacheRead":0,"cacheWrite":0,"cacheWrite1h":0,"reasoning":0}',
      },
    });
  });

  it('with several problems is refused with all of them', () => {
    const sent: BillRow__Output = {
      ...{ model: 'x'.repeat(257), kind: 'BILL_ROW_KIND_UNSPECIFIED', serviceTier: '\n', costUsd: '1e3' },
      ...{ requests: '-1', tokens: { ...row.tokens, prompt: '1.5', reasoning: '-1' } },
      references: [...row.references, { kind: 'BILL_REFERENCE_KIND_UNSPECIFIED', value: '' }],
    };
    const wrong = billRow(sent);
    expect('problems' in wrong && wrong.problems.map(({ at }) => at)).toEqual([
      ...['.kind', '.model', '.service_tier', '.cost_usd', '.requests', '.tokens'],
      ...['.references[1].kind', '.references[1].value'],
    ]);
  });
});
