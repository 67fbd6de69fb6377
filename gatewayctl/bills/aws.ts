// AWS's cost and usage report (CUR 2.0 by Data Exports, and the legacy report, which spells the same column names
// differently): CSV or Parquet. Columns: the tables "Line item", "Bill" and "Pricing" of the CUR 2.0 table dictionary.
// Values for Bedrock: the page "Understanding your Amazon Bedrock Cost and Usage Report data".
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import type { BillLine, LineTokens, ReadBill } from './bill.ts';
import { type Decimal, parseDecimal, times, wholeOf } from './decimal.ts';
import { readTables, type TableRow } from './tables.ts';

const columns = [
  ...['identity_line_item_id', 'identity_time_interval', 'line_item_usage_account_id'],
  ...['line_item_line_item_type', 'line_item_product_code', 'line_item_usage_type'],
  ...['line_item_usage_amount', 'line_item_unblended_cost', 'line_item_currency_code'],
  ...['line_item_usage_start_date', 'line_item_resource_id', 'line_item_iam_principal'],
  ...['line_item_line_item_description', 'pricing_unit'],
];

/** How many line ids are remembered, to count each line once: about 500 MiB. */
const idsMax = 2_000_000;

export function awsBill(files: readonly string[], io: Io): ReadBill {
  const counts = { others: 0, repeated: 0, unchecked: 0 };
  return {
    lines: lines(files, io, counts),
    remarks: () => [
      ...(counts.others > 0 ? [`${counts.others} lines of other services were left out`] : []),
      ...(counts.repeated > 0 ? [`${counts.repeated} lines that came more than once were counted once`] : []),
      ...(counts.unchecked > 0
        ? [`${counts.unchecked} lines beyond ${idsMax} were not looked for twice; import fewer days at a time`]
        : []),
    ],
  };
}

async function* lines(
  files: readonly string[],
  io: Io,
  counts: { others: number; repeated: number; unchecked: number },
): AsyncGenerator<BillLine> {
  const seen = new Set<string>();
  for await (const row of readTables(files, columns, io).rows) {
    requireColumns(row);
    if (!isOfBedrock(row)) {
      counts.others++;
      continue;
    }
    const id = row.cell('identity_line_item_id');
    const key = `${id} ${row.cell('identity_time_interval')}`;
    if (id !== '' && seen.has(key)) {
      counts.repeated++;
      continue;
    }
    if (id === '' || seen.size >= idsMax) counts.unchecked++;
    else seen.add(key);
    yield lineOf(row);
  }
}

/** @throws Failure if the table is not a cost and usage report */
function requireColumns(row: TableRow): void {
  if (row.cell('line_item_usage_start_date') !== '' || row.cell('line_item_line_item_type') !== '') return;
  throw new Failure('usage', 'the file is no cost and usage report: it has no column line_item_usage_start_date');
}

function isOfBedrock(row: TableRow): boolean {
  const isBedrock = /^AmazonBedrock/i.test(row.cell('line_item_product_code'));
  return isBedrock || /Amazon Bedrock/i.test(row.cell('line_item_line_item_description'));
}

function lineOf(row: TableRow): BillLine {
  const currency = row.cell('line_item_currency_code') || 'a currency that it does not say';
  if (currency !== 'USD') throw new Failure('usage', `the report is in ${currency}, and the ledger in USD`);
  const type = row.cell('line_item_line_item_type');
  const usage = readUsageType(row.cell('line_item_usage_type'));
  const kind = kindOf(type);
  const isOfTokens = kind === 'usage' && /usage$/i.test(type);
  const tokens = isOfTokens ? tokensOf(usage.kind, row) : undefined;
  return {
    day: dayOf(row.cell('line_item_usage_start_date')),
    references: referencesOf(row),
    model: kind === 'usage' ? usage.model : '',
    kind,
    tier: kind === 'usage' ? usage.tier : '',
    cost: amount(row, 'line_item_unblended_cost'),
    ...(tokens !== undefined && { tokens }),
  };
}

/** Discounts are part of the cost of usage; credits and fees do not belong to any usage. */
function kindOf(type: string): BillLine['kind'] {
  if (/^(usage|discountedusage|savingsplancoveredusage|savingsplannegation|.*discount)$/i.test(type)) return 'usage';
  return /^(credit|refund)$/i.test(type) ? 'credit' : 'fee';
}

function referencesOf(row: TableRow): BillLine['references'] {
  const pairs = [
    ['principal', row.cell('line_item_iam_principal')],
    ['resource', row.cell('line_item_resource_id')],
    ['account', row.cell('line_item_usage_account_id')],
  ] as const;
  return pairs.filter(([, value]) => value !== '');
}

type TokenKind = 'input' | 'output' | 'cache-read' | 'cache-write' | 'cache-write-1h';

/**
 * Splits `USE1-Claude4.6Sonnet-cache-read-input-token-count-cross-region-global`, `USE1-Nova2.0Lite-input-tokens-flex`,
 * `USE1-openai.gpt-oss-120b-mantle-input-tokens-standard`. A text of another form is used as a name.
 */
export function readUsageType(text: string): {
  readonly model: string;
  readonly kind: TokenKind | undefined;
  readonly tier: string;
} {
  const match =
    /^[A-Z]+\d*-(.+?)(?:-mantle)?-(cache-read-input|cache-write-1h-input|cache-write-input|input|output)-(?:tokens|token-count)(?:-(.*))?$/i.exec(
      text,
    );
  if (match === null) return { model: text.replace(/^[A-Z]{2,5}\d?-/, ''), kind: undefined, tier: '' };
  const [, model = '', kind = '', rest = ''] = match;
  const tier = /\b(batch|flex|priority|reserved)\b/i.exec(rest)?.[1]?.toLowerCase() ?? '';
  return { model, kind: kind.toLowerCase().replace(/-input$/, '') as TokenKind, tier };
}

function tokensOf(kind: TokenKind | undefined, row: TableRow): LineTokens | undefined {
  const unit = unitOf(row.cell('pricing_unit'));
  if (kind === undefined || unit === undefined) return undefined;
  const count = wholeOf(times(amount(row, 'line_item_usage_amount'), unit));
  const ofKind: Readonly<Record<TokenKind, LineTokens>> = {
    input: { prompt: count },
    output: { completion: count },
    'cache-read': { prompt: count, cacheRead: count },
    'cache-write': { prompt: count, cacheWrite: count },
    'cache-write-1h': { prompt: count, cacheWrite: count, cacheWrite1h: count },
  };
  return ofKind[kind];
}

/** Tokens per unit, for "1K tokens", "1M tokens", "tokens". */
export function unitOf(text: string): number | undefined {
  const [, factor = '', scale = ''] = /^(\d+)?\s*([KM])?\s*tokens?$/i.exec(text.trim()) ?? [];
  if (!/tokens?$/i.test(text.trim())) return undefined;
  const scales: Readonly<Record<string, number>> = { '': 1, K: 1000, M: 1_000_000 };
  return Number(factor || '1') * (scales[scale.toUpperCase()] ?? 1);
}

function amount(row: TableRow, name: string): Decimal {
  const value = parseDecimal(row.cell(name) || '0');
  if (value !== undefined) return value;
  throw new Failure('usage', `the report has no amount in ${name}`);
}

/** The UTC day of "2026-10-01 07:00:00.000" or "2026-10-01T07:00:00Z". */
function dayOf(text: string): string {
  const day = /^(\d{4}-\d{2}-\d{2})[ T]/.exec(text)?.[1];
  if (day !== undefined) return day;
  throw new Failure('usage', `the report has no time in line_item_usage_start_date`);
}
