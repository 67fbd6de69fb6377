// Azure's cost export: the file "Cost and usage details" (actual cost), CSV. The spelling of its columns differs by
// agreement (pages "Cost and usage details file schema" for EA, MCA and pay-as-you-go); after normalization they are
// the same. A meter's name contains model and direction: `gpt-4o-0806-Inp-glbl Tokens`, `gpt 4.1 nano cached Inp glbl
// Tokens`, `GPT 5 outpt Glbl 1M Tokens`.
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { unitOf } from './aws.ts';
import type { BillLine, LineTokens, ReadBill } from './bill.ts';
import { type Decimal, parseDecimal, times, wholeOf } from './decimal.ts';
import { readTables, type TableRow } from './tables.ts';

export function azureBill(files: readonly string[], io: Io): ReadBill {
  const counts = { others: 0 };
  return {
    lines: lines(files, io, counts),
    remarks: () => (counts.others > 0 ? [`${counts.others} lines of other services were left out`] : []),
  };
}

async function* lines(files: readonly string[], io: Io, counts: { others: number }): AsyncGenerator<BillLine> {
  for await (const row of readTables(files, [], io).rows) {
    if (dateOf(row) === '') throw new Failure('usage', 'the file is no cost export: it has no column Date');
    if (isOfModels(row)) yield lineOf(row);
    else counts.others++;
  }
}

/** The last name is that of pay-as-you-go. */
function dateOf(row: TableRow): string {
  return row.cell('date') || row.cell('usage_date') || row.cell('usage_date_time');
}

const categories = [
  'azure openai',
  'azure openai service',
  'cognitive services',
  'foundry models',
  'azure ai foundry',
  'azure ai services',
];

function isOfModels(row: TableRow): boolean {
  const resource = row.cell('resource_id') || row.cell('instance_id');
  return (
    categories.includes(row.cell('meter_category').toLowerCase()) ||
    /\/providers\/microsoft\.cognitiveservices\//i.test(resource)
  );
}

function lineOf(row: TableRow): BillLine {
  const meter = row.cell('meter_name');
  const read = readMeter(meter);
  const cost = costOf(row);
  const kind = kindOf(row.cell('charge_type'), cost);
  const tokens = kind === 'usage' ? tokensOf(read, row) : undefined;
  return {
    day: dayOf(dateOf(row)),
    references: referencesOf(row),
    model: kind === 'usage' ? read.model : '',
    kind,
    tier: kind === 'usage' ? read.tier : '',
    cost,
    ...(tokens !== undefined && { tokens }),
  };
}

function kindOf(chargeType: string, cost: Decimal): BillLine['kind'] {
  if (/^(refund|credit)$/i.test(chargeType)) return 'credit';
  if (/^usage$/i.test(chargeType) || chargeType === '') return 'usage';
  return cost < 0n ? 'credit' : 'fee';
}

/** Azure's ids are case-insensitive. */
function referencesOf(row: TableRow): BillLine['references'] {
  const pairs = [
    ['resource', (row.cell('resource_id') || row.cell('instance_id')).toLowerCase()],
    ['subscription', (row.cell('subscription_id') || row.cell('subscription_guid')).toLowerCase()],
  ] as const;
  return pairs.filter(([, value]) => value !== '');
}

interface Meter {
  readonly model: string;
  readonly kind: 'input' | 'output' | 'cache-read' | undefined;
  readonly tier: string;
}

const words: readonly (readonly [RegExp, keyof Words])[] = [
  [/^(inp|inpt|in|input)$/, 'input'],
  [/^(outp|outpt|out|opt|output)$/, 'output'],
  [/^(cached|cchd|cd|cache)$/, 'cached'],
  [/^(batch|btch)$/, 'batch'],
  [/^(priority|prty|pp)$/, 'priority'],
  [/^(glbl|global|gl|regnl|regional|dzone|dz|dzn|data|zone|tokens?|1m|1k|txt|text|aud|audio|img|image)$/, 'rest'],
];

interface Words {
  input: boolean;
  output: boolean;
  cached: boolean;
  batch: boolean;
  priority: boolean;
  rest: boolean;
}

export function readMeter(meter: string): Meter {
  const found: Words = {
    input: false,
    output: false,
    cached: false,
    batch: false,
    priority: false,
    rest: false,
  };
  const left = meter.split(/[\s-]+/).filter((word) => {
    const known = words.find(([form]) => form.test(word.toLowerCase()));
    if (known !== undefined) found[known[1]] = true;
    return known === undefined;
  });
  const kind = found.output ? 'output' : found.cached ? 'cache-read' : found.input ? 'input' : undefined;
  const tier = found.batch ? 'batch' : found.priority ? 'priority' : '';
  return kind === undefined ? { model: meter, kind, tier: '' } : { model: left.join('-'), kind, tier };
}

function tokensOf({ kind }: Meter, row: TableRow): LineTokens | undefined {
  const unit = unitOfMeasure(row.cell('unit_of_measure'));
  const quantity = parseDecimal(row.cell('quantity') || row.cell('usage_quantity') || '0');
  if (kind === undefined || unit === undefined || quantity === undefined || quantity < 0n) return undefined;
  const count = wholeOf(times(quantity, unit));
  if (kind === 'output') return { completion: count };
  return kind === 'cache-read' ? { prompt: count, cacheRead: count } : { prompt: count };
}

/** Accepts "1K", "1M", "1K Tokens", "1". */
function unitOfMeasure(text: string): number | undefined {
  return unitOf(/tokens?$/i.test(text) ? text : `${text} tokens`);
}

/** In USD if the export contains that; otherwise the billing currency, which must be USD. */
function costOf(row: TableRow): Decimal {
  const usd = row.cell('cost_in_usd') || row.cell('pay_g_cost_in_usd');
  const billed = row.cell('cost_in_billing_currency') || row.cell('cost') || row.cell('pre_tax_cost');
  const currency = row.cell('billing_currency') || row.cell('billing_currency_code') || row.cell('currency');
  if (usd === '' && currency !== 'USD') {
    const which = currency === '' ? 'does not say its currency' : `is in ${currency}`;
    throw new Failure('usage', `the export ${which} and has no column costInUsd; the ledger is in USD`);
  }
  const cost = parseDecimal(usd === '' ? billed : usd);
  if (cost !== undefined) return cost;
  throw new Failure('usage', 'the export has a line without a cost');
}

/** Accepts "10/31/2026" or "2026-10-31", with or without a time. */
function dayOf(text: string): string {
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text);
  if (us !== null) return `${us[3]}-${us[1]?.padStart(2, '0')}-${us[2]?.padStart(2, '0')}`;
  const iso = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  if (iso !== undefined) return iso;
  throw new Failure('usage', 'the export has a line without a day in Date');
}
