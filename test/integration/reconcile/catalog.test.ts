// Bills compared with the ledger under an operator's own catalog: its models are known and its prices apply, and no
// others.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { BillFixture, project } from '../../support/bills/fixture.ts';
import { freshSqlite } from '../../support/databases.ts';

/** Days that are final at the vendor; each test uses its own. */
const ago = (days: number) => dayOf(Date.now() - days * dayMs);

const prices = { input: '2', output: '8', asOf: '2026-11-30' };
const catalog = {
  ...{ asOf: '2026-11-30', unit: 'USD per million tokens', sources: {} },
  models: [
    {
      ...{ provider: 'gpt-provider', name: 'gpt-77', chat: true, limits: {}, capabilities: [] },
      prices: { ...prices, next: { ...prices, input: '3', from: ago(9) } },
    },
  ],
};

let fixture: BillFixture;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  const file = join(directory, 'models.json');
  writeFileSync(file, JSON.stringify(catalog));
  fixture = await BillFixture.open(freshSqlite, { GATEWAY_CATALOG_FILE: file });
});
afterAll(async () => {
  await fixture.close();
  rmSync(directory, { recursive: true });
});

const billTokens = (day: string, model: string, prompt: number) =>
  fixture.expect('ImportBill', {
    document: 'BILL_DOCUMENT_OPENAI_USAGE',
    days: [
      {
        day,
        rows: [
          {
            references: [{ kind: 'BILL_REFERENCE_KIND_PROJECT', value: project }],
            ...{ model, kind: 'BILL_ROW_KIND_USAGE', tokens: { prompt: String(prompt) } },
          },
        ],
      },
    ],
  });

it('models of the catalog in force are recognized by their names on bills, those of the shipped one are not', async () => {
  const day = ago(6);
  await fixture.bill(day, [
    { usd: '5', model: 'GPT 77' },
    { usd: '3', model: 'gpt-4o' },
  ]);
  const found = await fixture.drift(day);
  const codes = Object.fromEntries(found.map((one) => [one.model, one.codes]));
  expect(codes).toEqual({
    'gpt-provider/gpt-77': ['DRIFT_REASON_CODE_PAST_GATEWAY'],
    'gpt-provider/gpt-4o': ['DRIFT_REASON_CODE_UNKNOWN_MODEL'],
  });
});

it('usage with a name of the catalog in force balances the bill with another of its spellings', async () => {
  const day = ago(7);
  const name = 'gpt-77';
  await fixture.record(day, '5', { model_asked: `gpt-provider/${name}`, model_answered: name });
  await fixture.bill(day, [{ usd: '5', model: 'GPT 77' }]);
  expect(await fixture.drift(day)).toEqual([]);
});

it("a price other than that of the catalog in force is reported with the catalog's date", async () => {
  const day = ago(8);
  const requested = 'gpt-provider/gpt-77';
  const fields = { model_asked: requested, model_answered: 'gpt-77', prompt_tokens: 1_000_000 };
  await fixture.record(day, '3', { ...fields, completion_tokens: 0, cache_read_tokens: 0 });
  await billTokens(day, 'gpt-77', 1_000_000);
  await fixture.bill(day, [{ usd: '4', model: 'gpt-77' }]);
  const { reasons } = await fixture.driftOf(day);
  expect(reasons).toMatchObject([
    {
      ...{ code: 'DRIFT_REASON_CODE_PRICE', amountUsd: '1' },
      detail: expect.stringContaining("it is the catalog's price of 2026-11-30"),
    },
  ]);
});

it.each([
  ['the price until then', 10, '2'],
  ['the next price from then on', 9, '3'],
])('a price that changes on a day values tokens of a bill at %s', async (_which, days, usd) => {
  const day = ago(days);
  await billTokens(day, 'gpt-77', 1_000_000);
  expect(await fixture.driftOf(day)).toMatchObject({ driftUsd: usd });
});
