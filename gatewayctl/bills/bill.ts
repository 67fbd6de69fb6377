// A bill on its way from a vendor's document to the control plane: its lines, summed by day, reference, model and tier.
// The whole document is read before anything is sent, so a document that cannot be read to its end changes nothing.
import { dayMs } from '../../common/durations.ts';
import type { BillRow } from '../../proto/generated/gateway/v1/BillRow.ts';
import { Failure, usageMistake } from '../failure.ts';
import { type Decimal, usdText } from './decimal.ts';

export type DocumentName =
  | 'openai-usage'
  | 'openai-costs'
  | 'anthropic-usage'
  | 'anthropic-costs'
  | 'aws'
  | 'azure'
  | 'google'
  | 'other';

export const documentsInContract = {
  'openai-usage': 'BILL_DOCUMENT_OPENAI_USAGE',
  'openai-costs': 'BILL_DOCUMENT_OPENAI_COSTS',
  'anthropic-usage': 'BILL_DOCUMENT_ANTHROPIC_USAGE',
  'anthropic-costs': 'BILL_DOCUMENT_ANTHROPIC_COSTS',
  aws: 'BILL_DOCUMENT_AWS_COST_AND_USAGE',
  azure: 'BILL_DOCUMENT_AZURE_COSTS',
  google: 'BILL_DOCUMENT_GOOGLE_BILLING',
  other: 'BILL_DOCUMENT_OTHER',
} as const satisfies Record<DocumentName, string>;

export type ReferenceKind =
  | 'api-key'
  | 'project'
  | 'workspace'
  | 'account'
  | 'resource'
  | 'principal'
  | 'subscription'
  | 'model';

export const referenceKindsInContract = {
  'api-key': 'BILL_REFERENCE_KIND_API_KEY',
  project: 'BILL_REFERENCE_KIND_PROJECT',
  workspace: 'BILL_REFERENCE_KIND_WORKSPACE',
  account: 'BILL_REFERENCE_KIND_ACCOUNT',
  resource: 'BILL_REFERENCE_KIND_RESOURCE',
  principal: 'BILL_REFERENCE_KIND_PRINCIPAL',
  subscription: 'BILL_REFERENCE_KIND_SUBSCRIPTION',
  model: 'BILL_REFERENCE_KIND_MODEL',
} as const satisfies Record<ReferenceKind, string>;

const rowKindsInContract = {
  usage: 'BILL_ROW_KIND_USAGE',
  tool: 'BILL_ROW_KIND_TOOL',
  credit: 'BILL_ROW_KIND_CREDIT',
  fee: 'BILL_ROW_KIND_FEE',
} as const;

/** As in the contract, the prompt includes cache reads and writes. */
export interface LineTokens {
  readonly prompt?: number;
  readonly completion?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWrite1h?: number;
}

/** One line of a document. */
export interface BillLine {
  /** The UTC day, "2026-11-20". */
  readonly day: string;
  /** The most specific first; references that are empty or absent at the vendor are omitted. */
  readonly references: readonly (readonly [kind: ReferenceKind, value: string])[];
  /** In the vendor's spelling; empty if the line belongs to no model. */
  readonly model: string;
  readonly kind: keyof typeof rowKindsInContract;
  /** Empty: the standard tier. */
  readonly tier: string;
  readonly tokens?: LineTokens;
  readonly cost?: Decimal;
  readonly requests?: number;
}

/** A parsed document: its lines and facts about the whole. */
export interface ReadBill {
  readonly lines: AsyncIterable<BillLine>;
  /** The days that it covers, including days without a line. */
  readonly days?: readonly string[];
  /** What was omitted, and why; shown to the user. Complete once all lines were read. */
  readonly remarks: () => readonly string[];
}

export interface SummedDay {
  readonly day: string;
  readonly rows: readonly BillRow[];
}

/** Maximum of sums in memory: a year of a large organization. */
const sumsMax = 500_000;

interface Sum {
  readonly line: BillLine;
  tokens: Required<LineTokens> | undefined;
  cost: Decimal | undefined;
  requests: number | undefined;
}

/**
 * @param within first and last day; undefined: no bound
 * @throws Failure
 */
export async function sumByDay(
  { lines, days = [] }: Pick<ReadBill, 'lines' | 'days'>,
  within: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<readonly SummedDay[]> {
  const isWithin = (day: string) =>
    (within.from === undefined || day >= within.from) && (within.to === undefined || day <= within.to);
  const sums = new Map<string, Map<string, Sum>>();
  for (const day of days) if (isWithin(day)) sums.set(day, new Map());
  let count = 0;
  for await (const line of lines) {
    if (!isWithin(line.day)) continue;
    const ofDay = sums.get(line.day) ?? new Map<string, Sum>();
    sums.set(line.day, ofDay);
    const key = JSON.stringify([line.references, line.model, line.kind, line.tier]);
    const sum = ofDay.get(key) ?? { line, tokens: undefined, cost: undefined, requests: undefined };
    if (!ofDay.has(key) && ++count > sumsMax)
      throw new Failure('usage', `the document has more than ${sumsMax} sums; import fewer days at a time`);
    ofDay.set(key, sum);
    addTo(sum, line);
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, ofDay]) => ({ day, rows: [...ofDay.values()].map(rowOf) }));
}

function addTo(sum: Sum, { tokens, cost, requests }: BillLine): void {
  if (cost !== undefined) sum.cost = (sum.cost ?? 0n) + cost;
  if (requests !== undefined) sum.requests = (sum.requests ?? 0) + requests;
  if (tokens === undefined) return;
  const to = sum.tokens ?? { prompt: 0, completion: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
  sum.tokens = {
    prompt: to.prompt + (tokens.prompt ?? 0),
    completion: to.completion + (tokens.completion ?? 0),
    cacheRead: to.cacheRead + (tokens.cacheRead ?? 0),
    cacheWrite: to.cacheWrite + (tokens.cacheWrite ?? 0),
    cacheWrite1h: to.cacheWrite1h + (tokens.cacheWrite1h ?? 0),
  };
}

function rowOf({ line, tokens, cost, requests }: Sum): BillRow {
  return {
    references: line.references.map(([kind, value]) => ({ kind: referenceKindsInContract[kind], value })),
    model: line.model,
    kind: rowKindsInContract[line.kind],
    serviceTier: line.tier,
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { costUsd: usdText(cost) }),
    ...(requests !== undefined && { requests }),
  };
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** @throws Failure if the text is not a day */
export function dayOption(text: string, flag: string): string {
  const isDay = dayForm.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay && new Date(text).toISOString().startsWith(text)) return text;
  throw usageMistake(`${flag} must be a day as YYYY-MM-DD, not "${text}"`);
}

/** All days from the first to the last, both included. */
export function daysBetween(from: string, to: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** The UTC day `count` days ago. */
export function daysAgo(count: number, now: number): string {
  return new Date(now - count * dayMs).toISOString().slice(0, 10);
}
