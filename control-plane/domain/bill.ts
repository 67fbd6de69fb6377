// Bills as operators import them: the contract's enum names, and which values a row may contain. Pure.
import { budgetUsdMax, nanoOfUsd, nanoPerUsd } from '../../common/money.ts';
import type { BillReference__Output } from '../../proto/generated/gateway/v1/BillReference.ts';
import type { BillRow__Output } from '../../proto/generated/gateway/v1/BillRow.ts';
import type { UsageTokens__Output } from '../../proto/generated/gateway/v1/UsageTokens.ts';
import {
  type BillReferenceKind,
  type BillRowKind,
  billDocuments,
  billReferenceKinds,
  billRowKinds,
  billVendors,
  driftStates,
} from '../../proto/words/money.ts';
import { wordOf } from './enum-names.ts';
import { all, each, type Field, invalid, valid } from './field.ts';
import { visible } from './shared-fields.ts';

export const billVendor = wordOf(billVendors);
export const billDocument = wordOf(billDocuments);
export const driftState = wordOf(driftStates);
const referenceKind = wordOf(billReferenceKinds);
const rowKind = wordOf(billRowKinds);

export const defaultAccount = 'default';

export function billAccount(text: string): Field<string> {
  return visible(text, 128);
}

export function reasonText(text: string): Field<string> {
  return visible(text.trim(), 512);
}

/** The most that an amount, and a day of a document, can be, in nano-dollars. */
export const costMax = budgetUsdMax * nanoPerUsd;

/** Reads an amount above or below zero, in nano-dollars. */
export function signedUsd(text: string): Field<number> {
  const isBelow = text.startsWith('-');
  const nano = nanoOfUsd(isBelow ? text.slice(1) : text);
  if (nano === undefined || nano > costMax) {
    return invalid(`must be USD as a decimal string with at most nine decimals, up to ${budgetUsdMax} either way`);
  }
  return valid(isBelow && nano > 0 ? -nano : nano);
}

/** Reads a percentage, in hundredths of a percent. */
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

/** A row in its stored form. */
export interface BillRow {
  /** JSON. */
  readonly refs: string;
  readonly model: string;
  readonly kind: BillRowKind;
  readonly tier: string;
  readonly requests: number | null;
  /** JSON. */
  readonly tokens: string | null;
  /** In nano-dollars. */
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

/** Writes the names in a fixed order, so that equal tokens are equal texts. */
function tokensText(tokens: UsageTokens__Output): Field<string> {
  const { prompt, completion, cacheRead, cacheWrite, cacheWrite1h, reasoning } = tokens;
  const counts = { prompt, completion, cacheRead, cacheWrite, cacheWrite1h, reasoning };
  const read = all(Object.fromEntries(Object.entries(counts).map(([kind, text]) => [kind, count(text)])));
  return 'problems' in read ? invalid(countForm) : valid(JSON.stringify(read.value));
}

/** The most that a row can count. The sums of all rows that an organization may have are still stored exactly. */
const countMax = 100_000_000_000_000;
const countForm = `must be a whole number up to ${countMax}`;

function count(text: string): Field<number> {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 && value <= countMax ? valid(value) : invalid(countForm);
}
