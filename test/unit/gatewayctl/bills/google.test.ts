// Google's billing export with the rows of BigQuery: discounts are part of the cost of usage, credits are rows of their
// own.
import { describe, expect, it } from 'vitest';
import { googleBill, readSku } from '../../../../gatewayctl/bills/google.ts';
import { inWords, readFiles } from '../../../support/bills/read.ts';

const row = (fields: object = {}) => ({
  service: { id: 'AEFD-7695-64FA', description: 'Gemini API' },
  sku: { description: 'Generate content output token count gemini 2.5 flash short input text' },
  usage_start_time: '2026-10-03 07:00:00 UTC',
  project: { id: 'gen-lang-client-1' },
  cost: 0.25,
  currency: 'USD',
  usage: { amount: 100000, unit: 'count' },
  credits: [],
  cost_type: 'regular',
  ...fields,
});
const lines = (...rows: readonly object[]) => rows.map((one) => JSON.stringify(one)).join('\n');
const whose = 'project gen-lang-client-1';

describe('a Google billing export', () => {
  it('yields tokens by the direction that the SKU names, and costs', async () => {
    const sku = (description: string, cost: number, amount: number) =>
      row({ sku: { description }, cost, usage: { amount, unit: 'count' } });
    const read = await readFiles(
      googleBill,
      lines(
        row(),
        sku('Generate content input token count gemini 2.5 flash short text', 0.3, 1_000_000),
        sku('Generate content cached input token count gemini 2.5 flash short text', 0.03, 1_000_000),
        sku('Grounding with Google Search', 0.35, 10),
        row({ service: { description: 'Cloud Storage' } }),
        row({ service: { description: 'Vertex AI' }, sku: { description: 'Custom training N1' } }),
      ),
    );
    expect(inWords(read)).toEqual([
      `2026-10-03 | ${whose} | usage | gemini 2.5 flash |  | 2000000/100000/1000000/0/0 | 0.58`,
      `2026-10-03 | ${whose} | tool |  |  | - | 0.35`,
    ]);
    expect(read.remarks).toEqual(['2 lines of other services were left out']);
  });

  it('subtracts discounts from the cost, and lists credits apart', async () => {
    const credits = [
      { name: 'spend based', type: 'COMMITTED_USAGE_DISCOUNT', amount: -0.05 },
      { name: 'trial', type: 'FREE_TRIAL', amount: -0.1 },
    ];
    expect(inWords(await readFiles(googleBill, lines(row({ credits }))))).toEqual([
      `2026-10-03 | ${whose} | usage | gemini 2.5 flash |  | 0/100000/0/0/0 | 0.2`,
      `2026-10-03 | ${whose} | credit |  |  | - | -0.1`,
    ]);
  });

  it('without a currency is refused', async () => {
    await expect(readFiles(googleBill, lines(row({ currency: null })))).rejects.toThrow('does not say its currency');
  });

  it('in another currency is divided by its own exchange rate', async () => {
    const inEuro = { currency: 'EUR', cost: 0.46, currency_conversion_rate: 0.92 };
    expect(inWords(await readFiles(googleBill, lines(row(inEuro))))[0]).toMatch(/ 0\.5$/);
    await expect(readFiles(googleBill, lines(row({ currency: 'EUR' })))).rejects.toThrow('no currency_conversion_rate');
  });

  it('yields taxes, adjustments and the resource of the detailed export', async () => {
    const read = await readFiles(
      googleBill,
      lines(
        row({ cost_type: 'tax', cost: 0.05 }),
        row({ cost_type: 'adjustment', cost: -1 }),
        row({ resource: { global_name: '//aiplatform.googleapis.com/projects/1' } }),
      ),
    );
    expect(inWords(read)).toEqual([
      `2026-10-03 | ${whose} | fee |  |  | - | 0.05`,
      `2026-10-03 | ${whose} | credit |  |  | - | -1`,
      `2026-10-03 | resource //aiplatform.googleapis.com/projects/1, ${whose} | usage | gemini 2.5 flash |  | 0/100000/0/0/0 | 0.25`,
    ]);
  });

  it('as CSV has nested names with points, and lists as JSON', async () => {
    const header =
      'service.description,sku.description,usage_start_time,project.id,cost,currency,usage.amount,usage.unit,credits,cost_type';
    const cells = [
      ...['Vertex AI', 'Gemini 2.5 Pro Text Input - Predictions', '2026-10-03T07:00:00Z', 'p1', '1.25', 'USD'],
      ...['1000000', 'count', '"[{""type"":""DISCOUNT"",""amount"":-0.25}]"', 'regular'],
    ];
    expect(inWords(await readFiles(googleBill, `${header}\n${cells.join(',')}\n`))).toEqual([
      '2026-10-03 | project p1 | usage | Gemini 2.5 Pro |  | 1000000/0/0/0/0 | 1',
    ]);
  });

  it.each([
    ['a time that is not in UTC', { usage_start_time: '2026-10-03 07:00:00 PDT' }, 'not in UTC'],
    ['no time', { usage_start_time: null }, 'no billing export'],
    ['no cost', { cost: null }, 'without a cost'],
    ['credits that are no list', { credits: '{"amount":1}' }, 'no list'],
  ])('with %s is refused', async (_what, fields, message) => {
    await expect(readFiles(googleBill, lines(row(fields)))).rejects.toThrow(message);
  });

  it.each([
    ['Generate content input token count gemini 3 pro long input text', 'gemini 3 pro', 'input', ''],
    ['Generate content output token count for gemini 2.5 flash-lite batch', 'gemini 2.5 flash-lite', 'output', 'batch'],
    ['Gemini 2.5 Flash Text Input Caching - Predictions', 'Gemini 2.5 Flash', 'cache-read', ''],
    ['Gemini 2.5 Pro Thinking Text Output - Predictions', 'Gemini 2.5 Pro', 'output', ''],
    ['Something new', 'Something new', undefined, ''],
  ])('has the SKU %s parsed', (description, model, kind, tier) => {
    expect(readSku(description)).toEqual({ model, kind, tier });
  });
});
