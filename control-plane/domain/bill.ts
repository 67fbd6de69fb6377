// Bills as operators import them: the contract's words, and what a row of one may hold. Pure.
import { budgetUsdMax, nanoOfUsd, nanoPerUsd } from '../../common/money.ts';
import type { BillReference__Output } from '../../proto/generated/gateway/v1/BillReference.ts';
import type { BillRow__Output } from '../../proto/generated/gateway/v1/BillRow.ts';
import type { UsageTokens__Output } from '../../proto/generated/gateway/v1/UsageTokens.ts';
import type {
  BillDocument,
  BillReferenceKind,
  BillRowKind,
  BillVendor,
  DriftState,
} from '../store/reconciliation-tables.ts';
import { wordOf } from './enum-names.ts';
import { all, each, type Field, invalid, valid } from './field.ts';
import { visible } from './fields.ts';

export const vendorsInContract = {
  openai: 'BILL_VENDOR_OPENAI',
  anthropic: 'BILL_VENDOR_ANTHROPIC',
  aws: 'BILL_VENDOR_AWS',
  azure: 'BILL_VENDOR_AZURE',
  google: 'BILL_VENDOR_GOOGLE',
  other: 'BILL_VENDOR_OTHER',
} as const satisfies Record<BillVendor, string>;

export const documentsInContract = {
  openai_usage: 'BILL_DOCUMENT_OPENAI_USAGE',
  openai_costs: 'BILL_DOCUMENT_OPENAI_COSTS',
  anthropic_usage: 'BILL_DOCUMENT_ANTHROPIC_USAGE',
  anthropic_costs: 'BILL_DOCUMENT_ANTHROPIC_COSTS',
  aws_cost_and_usage: 'BILL_DOCUMENT_AWS_COST_AND_USAGE',
  azure_costs: 'BILL_DOCUMENT_AZURE_COSTS',
  google_billing: 'BILL_DOCUMENT_GOOGLE_BILLING',
  other: 'BILL_DOCUMENT_OTHER',
} as const satisfies Record<BillDocument, string>;

export const referenceKindsInContract = {
  api_key: 'BILL_REFERENCE_KIND_API_KEY',
  project: 'BILL_REFERENCE_KIND_PROJECT',
  workspace: 'BILL_REFERENCE_KIND_WORKSPACE',
  account: 'BILL_REFERENCE_KIND_ACCOUNT',
  resource: 'BILL_REFERENCE_KIND_RESOURCE',
  principal: 'BILL_REFERENCE_KIND_PRINCIPAL',
  subscription: 'BILL_REFERENCE_KIND_SUBSCRIPTION',
  model: 'BILL_REFERENCE_KIND_MODEL',
} as const satisfies Record<BillReferenceKind, string>;

export const rowKindsInContract = {
  usage: 'BILL_ROW_KIND_USAGE',
  tool: 'BILL_ROW_KIND_TOOL',
  credit: 'BILL_ROW_KIND_CREDIT',
  fee: 'BILL_ROW_KIND_FEE',
} as const satisfies Record<BillRowKind, string>;

export const driftStatesInContract = {
  preliminary: 'DRIFT_STATE_PRELIMINARY',
  unexplained: 'DRIFT_STATE_UNEXPLAINED',
  explained: 'DRIFT_STATE_EXPLAINED',
  settled: 'DRIFT_STATE_SETTLED',
} as const satisfies Record<DriftState, string>;

export const billVendor = wordOf<BillVendor>(vendorsInContract);
export const billDocument = wordOf<BillDocument>(documentsInContract);
export const driftState = wordOf<DriftState>(driftStatesInContract);
const referenceKind = wordOf<BillReferenceKind>(referenceKindsInContract);
const rowKind = wordOf<BillRowKind>(rowKindsInContract);

export const defaultAccount = 'default';

export function billAccount(text: string): Field<string> {
  return visible(text, 128);
}

export function reasonText(text: string): Field<string> {
  return visible(text.trim(), 512);
}

/** Of an amount, and of a day of a document: nano-dollars. */
export const costMax = budgetUsdMax * nanoPerUsd;

/** Above and below zero: nano-dollars. */
export function signedUsd(text: string): Field<number> {
  const isBelow = text.startsWith('-');
  const nano = nanoOfUsd(isBelow ? text.slice(1) : text);
  if (nano === undefined || nano > costMax) {
    return invalid(
      `must be USD as a decimal string with at most nine decimals, up to ${budgetUsdMax} either way`,
    );
  }
  return valid(isBelow && nano > 0 ? -nano : nano);
}

/** A percentage as hundredths of a percent. */
export function percent(text: string): Field<number> {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const [, whole = '', decimals = ''] = match ?? [];
  const hundredths = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  return match === null || hundredths > 10_000
    ? invalid('must be a decimal string from 0 to 100 with at most two decimals')
    : valid(hundredths);
}

export interface Reference {
  readonly kind: BillReferenceKind;
  readonly value: string;
}

export function billReference(message: BillReference__Output | null): Field<Reference> {
  const read = all({
    '.kind': referenceKind(message?.kind ?? ''),
    '.value': visible(message?.value ?? '', 512),
  });
  return 'problems' in read ? read : valid({ kind: read.value['.kind'], value: read.value['.value'] });
}

/** As it is stored. */
export interface BillRow {
  /** JSON. */
  readonly refs: string;
  readonly model: string;
  readonly kind: BillRowKind;
  readonly tier: string;
  readonly requests: number | null;
  /** JSON. */
  readonly tokens: string | null;
  /** Nano-dollars. */
  readonly cost: number | null;
}

const refsMax = 4;

export function billRow(row: BillRow__Output): Field<BillRow> {
  const read = all({
    '.kind': rowKind(row.kind),
    '.model': row.model === '' ? valid('') : visible(row.model, 256),
    '.service_tier': row.serviceTier === '' ? valid('') : visible(row.serviceTier, 64),
    '.cost_usd': row.costUsd === undefined ? valid(null) : signedUsd(row.costUsd),
    '.requests': row.requests === undefined ? valid(null) : count(row.requests),
    '.tokens': row.tokens === null ? valid(null) : tokensText(row.tokens),
    '.references': references(row.references),
  });
  if ('problems' in read) return read;
  const { value } = read;
  return valid({
    refs: JSON.stringify(value['.references']),
    model: value['.model'],
    kind: value['.kind'],
    tier: value['.service_tier'],
    requests: value['.requests'],
    tokens: value['.tokens'],
    cost: value['.cost_usd'],
  });
}

function references(messages: readonly BillReference__Output[]): Field<readonly Reference[]> {
  const read = each(billReference, messages);
  if ('problems' in read) return read;
  const kinds = read.value.map(({ kind }) => kind);
  const fits = kinds.length <= refsMax && new Set(kinds).size === kinds.length && !kinds.includes('model');
  return fits ? read : invalid(`must be at most ${refsMax}, each of another kind, and none of a model`);
}

/** In one order of names, so that equal tokens are equal texts. */
function tokensText(tokens: UsageTokens__Output): Field<string> {
  const { prompt, completion, cacheRead, cacheWrite, cacheWrite1h, reasoning } = tokens;
  const counts = { prompt, completion, cacheRead, cacheWrite, cacheWrite1h, reasoning };
  const read = all(Object.fromEntries(Object.entries(counts).map(([kind, text]) => [kind, count(text)])));
  return 'problems' in read ? invalid(countForm) : valid(JSON.stringify(read.value));
}

/** Of a row: the sums of as many rows as an organization may have are still exact where they are stored. */
const countMax = 100_000_000_000_000;
const countForm = `must be a whole number up to ${countMax}`;

function count(text: string): Field<number> {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 && value <= countMax ? valid(value) : invalid(countForm);
}
