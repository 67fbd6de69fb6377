// Bills of any other vendor: lines of JSON, each with a `day` and the fields of the contract's BillRow in the form of
// the JSON API.
import { isObject } from '../../common/json.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import type { BillLine, ReadBill, ReferenceKind } from './bill.ts';
import { referenceKindsInContract } from './bill.ts';
import { parseDecimal } from './decimal.ts';
import { linesOf, nameOf, textOfFile } from './given-text.ts';
import { parseExact } from './tables.ts';

export function otherBill(files: readonly string[], io: Io): ReadBill {
  return { lines: lines(files, io), remarks: () => [] };
}

async function* lines(files: readonly string[], io: Io): AsyncGenerator<BillLine> {
  for (const file of files) {
    for await (const line of linesOf(file, textOfFile(file, io)))
      if (line.trim() !== '') yield lineOf(file, parseExact(file, line));
  }
}

const kinds: Readonly<Record<string, BillLine['kind']>> = {
  BILL_ROW_KIND_USAGE: 'usage',
  BILL_ROW_KIND_TOOL: 'tool',
  BILL_ROW_KIND_CREDIT: 'credit',
  BILL_ROW_KIND_FEE: 'fee',
};

function lineOf(file: string, row: unknown): BillLine {
  if (!isObject(row)) throw wrong(file, 'a line is no object');
  const { day, model = '', kind = 'BILL_ROW_KIND_USAGE', serviceTier = '', costUsd, requests, tokens } = row;
  const words = [day, model, kind, serviceTier];
  if (!words.every((word) => typeof word === 'string')) throw wrong(file, 'day, model, kind and serviceTier are texts');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(day))) throw wrong(file, 'each line has a day, such as "2026-10-31"');
  const kindHere = kinds[String(kind)];
  if (kindHere === undefined) throw wrong(file, `kind is one of ${Object.keys(kinds).join(', ')}`);
  const cost = costUsd === undefined ? undefined : parseDecimal(String(costUsd));
  if (costUsd !== undefined && cost === undefined) throw wrong(file, 'costUsd is a decimal number');
  return {
    day: String(day),
    model: String(model),
    kind: kindHere,
    tier: String(serviceTier),
    references: referencesOf(file, row.references ?? []),
    ...(cost !== undefined && { cost }),
    ...(requests !== undefined && { requests: countIn(file, requests) }),
    ...(tokens !== undefined && { tokens: tokensOf(file, tokens) }),
  };
}

const referenceKinds = new Map(
  Object.entries(referenceKindsInContract).map(([kind, name]) => [name as string, kind as ReferenceKind]),
);

function referencesOf(file: string, list: unknown): BillLine['references'] {
  if (!Array.isArray(list)) throw wrong(file, 'references are a list');
  return list.map((one: unknown) => {
    const kind = isObject(one) ? referenceKinds.get(String(one.kind)) : undefined;
    if (!isObject(one) || kind === undefined || typeof one.value !== 'string')
      throw wrong(file, 'a reference has a kind, such as BILL_REFERENCE_KIND_API_KEY, and a value');
    return [kind, one.value] as const;
  });
}

function tokensOf(file: string, tokens: unknown): NonNullable<BillLine['tokens']> {
  if (!isObject(tokens)) throw wrong(file, 'tokens are an object');
  const counts = Object.fromEntries(Object.entries(tokens).map(([kind, value]) => [kind, countIn(file, value)]));
  return counts as NonNullable<BillLine['tokens']>;
}

function countIn(file: string, value: unknown): number {
  const number = /^\d{1,16}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw wrong(file, 'requests and tokens are whole numbers');
}

function wrong(file: string, what: string): Failure {
  return new Failure('usage', `${nameOf(file)}: ${what}`);
}
