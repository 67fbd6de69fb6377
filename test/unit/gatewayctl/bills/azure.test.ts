// Azure's cost export with the columns of each agreement, and the names of its meters.
import { describe, expect, it } from 'vitest';
import { azureBill, readMeter } from '../../../../gatewayctl/bills/azure.ts';
import { inWords, readFiles } from '../../../support/bills/read.ts';

const resource = '/subscriptions/S1/resourceGroups/ai/providers/Microsoft.CognitiveServices/accounts/Chat';
const whose = `resource ${resource.toLowerCase()}, subscription s1`;

/** Quotes the cells, because they may contain a comma. */
const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(',');

describe('an Azure cost export', () => {
  it('of an enterprise agreement has dates in American order and the currency of the bill', async () => {
    const header =
      'Date,SubscriptionId,ResourceId,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrencyCode,ChargeType';
    const row = (...[meter = '', quantity = '', unit = '', cost = '', type = 'Usage']: readonly string[]) =>
      quoted(['10/03/2026', 'S1', resource, 'Azure OpenAI', meter, quantity, unit, cost, 'USD', type]);
    const read = await readFiles(
      azureBill,
      [
        `\uFEFF${header}`,
        row('gpt 4.1 nano Inp glbl Tokens', '1500', '1K', '0.15'),
        row('gpt 4.1 nano cached Inp glbl Tokens', '500', '1K', '0.0125'),
        row('gpt 4.1 nano Outp glbl Tokens', '20', '1K', '0.008'),
        row('gpt-4o-0806-Batch-Inp-glbl Tokens', '2', '1M', '2.5'),
        row('S1 Speech To Text', '2', '1 Hour', '2'),
        row('rounding', '1', '1', '-0.5', 'Refund'),
        quoted([
          '10/03/2026',
          'S1',
          '/subscriptions/S1/vm',
          'Virtual Machines',
          'D2',
          '1',
          '1 Hour',
          '0.1',
          'USD',
          'Usage',
        ]),
      ].join('\r\n'),
    );
    expect(inWords(read)).toEqual([
      `2026-10-03 | ${whose} | usage | gpt-4.1-nano |  | 2000000/20000/500000/0/0 | 0.1705`,
      `2026-10-03 | ${whose} | usage | gpt-4o-0806 | batch | 2000000/0/0/0/0 | 2.5`,
      `2026-10-03 | ${whose} | usage | S1 Speech To Text |  | - | 2`,
      `2026-10-03 | ${whose} | credit |  |  | - | -0.5`,
    ]);
    expect(read.remarks).toEqual(['1 lines of other services were left out']);
  });

  it('of a customer agreement is read in USD, whatever currency it is billed in', async () => {
    const header =
      'date,subscriptionId,resourceId,meterCategory,meterName,quantity,unitOfMeasure,costInBillingCurrency,billingCurrency,costInUsd,chargeType';
    const row = ['2026-10-04', 's1', resource, 'Foundry Models', 'GPT 5 outpt Glbl 1M Tokens', '0.5', '1M'];
    const content = `${header}\n${[...row, '4.6', 'EUR', '5', 'Usage'].join(',')}\n`;
    expect(inWords(await readFiles(azureBill, content))).toEqual([
      `2026-10-04 | ${whose} | usage | GPT-5 |  | 0/500000/0/0/0 | 5`,
    ]);
  });

  it('of pay-as-you-go is read by its own column names', async () => {
    const header =
      'SubscriptionGuid,UsageDateTime,InstanceId,MeterCategory,MeterName,UsageQuantity,UnitOfMeasure,PreTaxCost,Currency';
    const row = ['s1', '2026-10-05', resource, 'Cognitive Services', 'o3 mini Inp Tokens', '3', '1K', '0.0033', 'USD'];
    expect(inWords(await readFiles(azureBill, `${header}\n${row.join(',')}\n`))).toEqual([
      `2026-10-05 | ${whose} | usage | o3-mini |  | 3000/0/0/0/0 | 0.0033`,
    ]);
  });

  it('is refused in another currency without a USD column, without a day and without a cost', async () => {
    const header =
      'Date,ResourceId,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency';
    const export_ = (cells: string) => readFiles(azureBill, `${header}\n${cells}\n`);
    const good = `${resource},Azure OpenAI,gpt 4o Inp Tokens,1,1K`;
    await expect(export_(`2026-10-05,${good},1,EUR`)).rejects.toThrow('is in EUR and has no column costInUsd');
    await expect(export_(`2026-10-05,${good},1,`)).rejects.toThrow('does not say its currency');
    await expect(export_(`,${good},1,USD`)).rejects.toThrow('no cost export');
    await expect(export_(`soon,${good},1,USD`)).rejects.toThrow('a line without a day');
    await expect(export_(`2026-10-05,${good},,USD`)).rejects.toThrow('a line without a cost');
  });

  it.each([
    ['gpt-4o-0806-Inp-glbl Tokens', 'gpt-4o-0806', 'input', ''],
    ['gpt 4.1 nano cached Inp glbl Tokens', 'gpt-4.1-nano', 'cache-read', ''],
    ['GPT 5 outpt Glbl 1M Tokens', 'GPT-5', 'output', ''],
    ['gpt-4.1-mini-pp-Outp-dz Tokens', 'gpt-4.1-mini', 'output', 'priority'],
    ['S1 Speech To Text', 'S1 Speech To Text', undefined, ''],
  ])('has the meter %s parsed', (meter, model, kind, tier) => {
    expect(readMeter(meter)).toEqual({ model, kind, tier });
  });
});
