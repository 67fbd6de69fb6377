// Google's Cloud Billing export to BigQuery, as rows of JSON or CSV that a query or an export of the table has written:
// pages "Structure of Standard data export" and "Structure of Detailed data export". A Gemini SKU contains model and
// direction: `Generate content output token count gemini 2.5 flash short input text`, `Gemini 2.5 Pro Text Input -
// Predictions`.
import { isObject } from '../../common/json.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import type { BillLine, LineTokens, ReadBill } from './bill.ts';
import { type Decimal, dividedBy, parseDecimal, wholeOf } from './decimal.ts';
import { parseExact, readTables, type TableRow } from './tables.ts';

export function googleBill(files: readonly string[], io: Io): ReadBill {
  const counts = { others: 0 };
  return {
    lines: lines(files, io, counts),
    remarks: () => (counts.others > 0 ? [`${counts.others} lines of other services were left out`] : []),
  };
}

async function* lines(files: readonly string[], io: Io, counts: { others: number }): AsyncGenerator<BillLine> {
  for await (const row of readTables(files, [], io).rows) {
    if (row.cell('usage_start_time') === '')
      throw new Failure('usage', 'the file is no billing export: it has a row without usage_start_time');
    if (isOfModels(row)) yield* linesOf(row);
    else counts.others++;
  }
}

const ownServices = ['gemini api', 'generative language api'];
const sharedServices = ['vertex ai', 'agent platform', 'gemini enterprise agent platform'];

/** The shared services also contain rows that do not belong to these models. */
function isOfModels(row: TableRow): boolean {
  const service = row.cell('service_description').toLowerCase();
  if (ownServices.includes(service)) return true;
  return sharedServices.includes(service) && /gemini|grounding|token count/i.test(row.cell('sku_description'));
}

function* linesOf(row: TableRow): Generator<BillLine> {
  const day = dayOf(row.cell('usage_start_time'));
  const references = referencesOf(row);
  const sku = readSku(row.cell('sku_description'));
  const { discounts, credits } = creditsOf(row);
  const cost = usdOf(row, amount(row.cell('cost'))) + discounts;
  const kind = kindOf(row.cell('cost_type'), sku, cost);
  const isUsage = kind === 'usage';
  const tokens = isUsage ? tokensOf(sku, row) : undefined;
  yield {
    day,
    references,
    kind,
    cost,
    model: isUsage ? sku.model : '',
    tier: isUsage ? sku.tier : '',
    ...(tokens !== undefined && { tokens }),
  };
  if (credits !== 0n) yield { day, references, model: '', kind: 'credit', tier: '', cost: credits };
}

function kindOf(costType: string, sku: Sku, cost: Decimal): BillLine['kind'] {
  if (costType !== '' && costType !== 'regular') return cost < 0n ? 'credit' : 'fee';
  if (sku.kind === 'tool') return 'tool';
  return 'usage';
}

/**
 * Accepts "2026-10-01 07:00:00 UTC" and "2026-10-01T07:00:00Z". The time of use is in UTC, although Google's months are
 * in California time.
 */
function dayOf(text: string): string {
  const day = /^(\d{4}-\d{2}-\d{2})[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: ?UTC|Z|\+00:?00)?$/.exec(text)?.[1];
  if (day !== undefined) return day;
  throw new Failure('usage', 'the export has a time in usage_start_time that is not in UTC');
}

function referencesOf(row: TableRow): BillLine['references'] {
  const pairs = [
    ['resource', row.cell('resource_global_name') || row.cell('resource_name')],
    ['project', row.cell('project_id')],
  ] as const;
  return pairs.filter(([, value]) => value !== '');
}

interface Sku {
  /** The SKU itself if it names no direction. */
  readonly model: string;
  readonly kind: 'input' | 'output' | 'cache-read' | 'tool' | undefined;
  readonly tier: string;
}

const noise =
  /\b(generate[ _]content|token count|count|for|text|image|audio|video|short|long|thinking|non-thinking|non|predictions|global|input|output|cached|caching|batch|flex|priority|on)\b|[()-](?=\s|$)/gi;

export function readSku(description: string): Sku {
  if (/grounding|search quer|storage/i.test(description)) return { model: '', kind: 'tool', tier: '' };
  const tier = /\b(batch|flex|priority)\b/i.exec(description)?.[1]?.toLowerCase() ?? '';
  const direction =
    /\b(?:(cached) )?(?:text |audio |image |video )?(?:(cached) )?(input|output) token count/i.exec(description) ??
    /\b()()(input|output)(?: (caching))?(?: \w+)? - predictions/i.exec(description);
  if (direction === null) return { model: description, kind: undefined, tier: '' };
  const [, before, after, word = '', caching] = direction;
  const isCached = [before, after, caching].some((part) => part !== undefined && part !== '');
  const kind = word.toLowerCase() === 'output' ? 'output' : isCached ? 'cache-read' : 'input';
  const model = description.replace(noise, ' ').replace(/\s+/g, ' ').trim();
  return { model, kind, tier };
}

function tokensOf({ kind }: Sku, row: TableRow): LineTokens | undefined {
  const unit = row.cell('usage_unit').toLowerCase();
  const quantity = parseDecimal(row.cell('usage_amount') || '0');
  if (!['count', 'token', 'tokens'].includes(unit) || quantity === undefined || quantity < 0n) return undefined;
  const count = wholeOf(quantity);
  switch (kind) {
    case 'input':
      return { prompt: count };
    case 'output':
      return { completion: count };
    case 'cache-read':
      return { prompt: count, cacheRead: count };
    case 'tool':
    case undefined:
      return undefined;
  }
}

/** Reductions of the price are part of the cost; free amounts are credits. */
const discountTypes = [
  'COMMITTED_USAGE_DISCOUNT',
  'COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE',
  'DISCOUNT',
  'FEE_UTILIZATION_OFFSET',
  'RESELLER_MARGIN',
  'SUBSCRIPTION_BENEFIT',
  'SUSTAINED_USAGE_DISCOUNT',
];

function creditsOf(row: TableRow): { readonly discounts: Decimal; readonly credits: Decimal } {
  const text = row.cell('credits');
  const list = text === '' ? [] : parseExact('the export', text);
  if (!Array.isArray(list)) throw new Failure('usage', 'the export has credits that are no list');
  const sums = { discounts: 0n, credits: 0n };
  for (const credit of list) {
    if (!isObject(credit)) throw new Failure('usage', 'the export has a credit that is no object');
    const isDiscount = discountTypes.includes(String(credit.type ?? ''));
    sums[isDiscount ? 'discounts' : 'credits'] += usdOf(row, amount(String(credit.amount ?? '0')));
  }
  return sums;
}

/** Uses the currency conversion rate in the export: units of its currency per dollar. */
function usdOf(row: TableRow, value: Decimal): Decimal {
  const currency = row.cell('currency');
  if (currency === 'USD') return value;
  const rate = parseDecimal(row.cell('currency_conversion_rate'));
  if (currency !== '' && rate !== undefined && rate > 0n) return dividedBy(value, rate);
  const which = currency === '' ? 'does not say its currency' : `is in ${currency}`;
  throw new Failure('usage', `the export ${which} and has no currency_conversion_rate; the ledger is in USD`);
}

function amount(text: string): Decimal {
  const value = parseDecimal(text);
  if (value !== undefined) return value;
  throw new Failure('usage', 'the export has a line without a cost');
}
