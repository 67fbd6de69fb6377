// Bills: the days of vendors' documents. An import replaces a day of a document and account as a whole, so it can be
// repeated.
import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { budgetUsdMax, usdOfNano } from '../../common/money.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { BillDay__Output } from '../../proto/generated/gateway/v1/BillDay.ts';
import type { BillDaySummary } from '../../proto/generated/gateway/v1/BillDaySummary.ts';
import type { DeleteBillRequest__Output } from '../../proto/generated/gateway/v1/DeleteBillRequest.ts';
import type { DeleteBillResponse } from '../../proto/generated/gateway/v1/DeleteBillResponse.ts';
import type { ImportBillRequest__Output } from '../../proto/generated/gateway/v1/ImportBillRequest.ts';
import type { ImportBillResponse } from '../../proto/generated/gateway/v1/ImportBillResponse.ts';
import type { ImportedDay } from '../../proto/generated/gateway/v1/ImportedDay.ts';
import type { ListBillDaysRequest__Output } from '../../proto/generated/gateway/v1/ListBillDaysRequest.ts';
import type { ListBillDaysResponse } from '../../proto/generated/gateway/v1/ListBillDaysResponse.ts';
import { type BillDocument, billDocuments } from '../../proto/words/money.ts';
import {
  type BillRow,
  billAccount,
  billDocument,
  billRow,
  billVendor,
  costMax,
  defaultAccount,
} from '../domain/bill.ts';
import { type Field, invalid, optional, type Problem, valid } from '../domain/field.ts';
import { date, timeText } from '../domain/shared-fields.ts';
import { documents, finalAt } from '../reconciliation/documents.ts';
import { markDays } from '../reconciliation/due.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError } from '../rpc/errors.ts';
import { cutPage, pageBy, threeTexts } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { flag } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type BillDayRow = Selectable<Schema['bill_days']>;

/** For one call, because it is one transaction and changes wait for each other. */
const rowsMax = 5000;
/** For one organization. */
const rowsOfOrganizationMax = 500_000;
const daysMax = 400;

interface Day {
  readonly day: string;
  readonly rows: readonly BillRow[];
  readonly digest: string;
  readonly cost: number | null;
}

export async function importBill(
  call: ChangeCall,
  request: ImportBillRequest__Output,
): Promise<Outcome<ImportBillResponse>> {
  const { document, account = defaultAccount } = checked({
    document: billDocument(request.document),
    account: optional(billAccount, request.account),
  });
  const days = readDays(request.days, { firstMs: call.now - call.deps.usageKeptMs, lastMs: call.now });
  const { organizationId } = request;
  const scope = { organization_id: organizationId, vendor: documents[document].vendor, document, account };
  const stored = await readStored(call.db, scope, days);
  const replaced = days.map((day) => replacement(call.now, scope, day, stored.get(day.day) ?? []));
  await requireRoom(call.db, organizationId, replaced);
  const importId = uuidv7(call.now);
  await writeRows(
    call,
    scope,
    replaced.filter(({ unchanged }) => !unchanged).map(({ day }) => day),
  );
  await writeDays(call, scope, { importId, replaced });
  // An operator who imports unchanged days every night causes no work.
  const fresh = replaced.filter(({ isNew }) => isNew).map(({ day }) => day.day);
  await markDays(call, { organizationId, vendor: scope.vendor }, fresh);
  const cost = sumOf(days.map((day) => day.cost));
  return {
    result: { importId, days: replaced.map(message) },
    organizationId,
    target: { kind: 'bill', id: importId },
    after: {
      document,
      account,
      days: days.length,
      from: days[0]?.day,
      to: days.at(-1)?.day,
      rows: days.reduce((all, { rows }) => all + rows.length, 0),
      ...(cost !== null && { costUsd: usdOfNano(cost) }),
    },
    invalidations: [],
  };
}

export async function listBillDays(
  call: ReadCall,
  request: ListBillDaysRequest__Output,
): Promise<ListBillDaysResponse> {
  const { size, limit, after } = pageBy(request, threeTexts<PageKey>);
  const { vendor } = checked({ vendor: optional(billVendor, request.vendor) });
  let query = call.db
    .selectFrom('bill_days')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .orderBy('day', 'desc')
    .orderBy('document', 'desc')
    .orderBy('account', 'desc')
    .limit(limit);
  if (vendor !== undefined) query = query.where('vendor', '=', vendor);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('day', 'document', 'account'), '<', tuple(...after)));
  }
  const keyOf = ({ day, document, account }: BillDayRow) => JSON.stringify([day, document, account]);
  const { items, nextPageToken } = cutPage(await query.execute(), size, keyOf, summary);
  return { days: items, nextPageToken };
}

/** A day without any remaining data is no longer compared. */
export async function deleteBill(
  call: ChangeCall,
  request: DeleteBillRequest__Output,
): Promise<Outcome<DeleteBillResponse>> {
  const {
    document,
    account = defaultAccount,
    from,
    to,
  } = checked({
    document: billDocument(request.document),
    account: optional(billAccount, request.account),
    from: date(request.from),
    to: date(request.to),
  });
  const { organizationId } = request;
  const { vendor } = documents[document];
  const inRange = <Table extends 'bill_days' | 'bill_rows'>(table: Table) =>
    call.db
      .deleteFrom(table as 'bill_days')
      .where('organization_id', '=', organizationId)
      .where('vendor', '=', vendor)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .where('document', '=', document)
      .where('account', '=', account);
  const deleted = await inRange('bill_days').returning('day').execute();
  if (deleted.length === 0) return { unchanged: { days: 0 } };
  await inRange('bill_rows').execute();
  const days = deleted.map(({ day }) => day).toSorted();
  await markDays(call, { organizationId, vendor }, days);
  return {
    result: { days: days.length },
    organizationId,
    target: { kind: 'bill', id: `${document} ${account}` },
    before: { document, account, days: days.length, from: days[0], to: days.at(-1) },
    invalidations: [],
  };
}

interface Range {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** @throws CallError */
function readDays(messages: readonly BillDay__Output[], range: Range): readonly Day[] {
  const count = messages.reduce((all, { rows }) => all + rows.length, 0);
  const wanted = `must be 1 to ${daysMax}, each another one, with at most ${rowsMax} rows in all`;
  const isMany = messages.length < 1 || messages.length > daysMax || count > rowsMax;
  const isRepeated = new Set(messages.map(({ day }) => day)).size < messages.length;
  if (isMany || isRepeated) throw invalidRequest([{ field: 'days', description: wanted }]);
  const problems: { field: string; description: string }[] = [];
  const days = messages.map(({ day, rows }, index): Day => {
    const path = `days[${index}]`;
    const note = (more: string, { at, description }: Problem) =>
      problems.push({ field: `${path}${more}${at}`, description });
    const on = dayWithin(day, range);
    if ('problems' in on) for (const problem of on.problems) note('.day', problem);
    const read = rows.map(billRow);
    for (const [nth, row] of read.entries())
      if ('problems' in row) for (const problem of row.problems) note(`.rows[${nth}]`, problem);
    const valued = read.flatMap((row) => ('value' in row ? [row.value] : []));
    if (valued.reduce((sum, { cost }) => sum + Math.abs(cost ?? 0), 0) > costMax)
      note('.rows', { at: '', description: `must come to at most ${budgetUsdMax} USD, signs left out` });
    return dayFrom(day, valued);
  });
  if (problems.length > 0) throw invalidRequest(problems);
  return days.toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

function dayWithin(text: string, { firstMs, lastMs }: Range): Field<string> {
  const day = date(text);
  if ('problems' in day) return day;
  return day.value >= dayOf(firstMs) && day.value <= dayOf(lastMs)
    ? valid(day.value)
    : invalid(`must be a day from ${dayOf(firstMs)}, from when on usage is kept, to ${dayOf(lastMs)}`);
}

/** Sorts the rows, so that the same rows have the same digest. */
function dayFrom(day: string, rows: readonly BillRow[]): Day {
  const texts = rows.map((row) => ({ row, text: JSON.stringify(row) }));
  const sorted = texts.toSorted((a, b) => (a.text < b.text ? -1 : 1));
  const digest = hash('sha256', sorted.map(({ text }) => text).join('\n'), 'hex');
  return { day, rows: sorted.map(({ row }) => row), digest, cost: sumOf(rows.map(({ cost }) => cost)) };
}

/** Null if no row has a cost. */
function sumOf(costs: readonly (number | null)[]): number | null {
  return costs.reduce((sum, cost) => (cost === null ? sum : (sum ?? 0) + cost), null);
}

/** The owner and the identity of a document. */
type BillScope = Pick<BillDayRow, 'organization_id' | 'vendor' | 'document' | 'account'>;

type StoredDay = Pick<BillDayRow, 'day' | 'account' | 'digest' | 'rows' | 'final'>;

/** The stored days of the document, of all accounts. */
async function readStored(
  db: Kysely<Schema>,
  { organization_id, vendor, document }: BillScope,
  days: readonly Day[],
): Promise<ReadonlyMap<string, readonly StoredDay[]>> {
  const stored = await db
    .selectFrom('bill_days')
    .select(['day', 'account', 'digest', 'rows', 'final'])
    .where('organization_id', '=', organization_id)
    .where('vendor', '=', vendor)
    .where('document', '=', document)
    .where(
      'day',
      'in',
      days.map(({ day }) => day),
    )
    .execute();
  return Map.groupBy(stored, ({ day }) => day);
}

interface Replacement {
  readonly day: Day;
  readonly before: StoredDay | undefined;
  readonly final: StoredDay['final'];
  /** Whether the same rows are stored already. */
  readonly unchanged: boolean;
  /** Whether the day is to be compared again. */
  readonly isNew: boolean;
  /** Another account with the same rows. */
  readonly twin: string | undefined;
}

/** @param ofDay the stored rows of the day */
function replacement(
  now: number,
  { document, account }: BillScope,
  day: Day,
  ofDay: readonly StoredDay[],
): Replacement {
  const before = ofDay.find((one) => one.account === account);
  const twin = ofDay.find((one) => one.account !== account && one.rows > 0 && one.digest === day.digest);
  const unchanged = before?.digest === day.digest;
  const final = flag(now >= finalAt(document, day.day));
  return { day, before, final, unchanged, isNew: !unchanged || before.final !== final, twin: twin?.account };
}

/** Rows that are replaced do not count. @throws CallError */
async function requireRoom(
  db: Kysely<Schema>,
  organizationId: string,
  replaced: readonly Replacement[],
): Promise<void> {
  const more = replaced.reduce((all, { day, before }) => all + day.rows.length - (before?.rows ?? 0), 0);
  if (more <= 0) return;
  const { rows } = await db
    .selectFrom('bill_days')
    .select(({ fn }) => fn.sum<number | null>('rows').as('rows'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (Number(rows ?? 0) + more <= rowsOfOrganizationMax) return;
  throw new CallError(
    'too_many_bill_rows',
    `there are ${rows} rows of bills, and at most ${rowsOfOrganizationMax} are stored; delete rows that are not needed`,
  );
}

async function writeDays(
  { db, now, caller, insertRows }: ChangeCall,
  { organization_id, vendor, document, account }: BillScope,
  { importId, replaced }: { readonly importId: string; readonly replaced: readonly Replacement[] },
): Promise<void> {
  const values = replaced.map(({ day, final }) => [
    ...[organization_id, vendor, day.day, document, account],
    ...[importId, now, caller.personId, day.rows.length, final, day.cost, day.digest],
  ]);
  const sets = newColumns.map((column) => `${column} = excluded.${column}`);
  const ending = `on conflict (${Object.keys(keyColumns).join(', ')}) do update set ${sets.join(', ')}`;
  await insertRows(db, { table: 'bill_days', columns: dayColumns, ending }, values);
}

async function writeRows(
  { db, insertRows }: ChangeCall,
  { organization_id, vendor, document, account }: BillScope,
  days: readonly Day[],
): Promise<void> {
  if (days.length === 0) return;
  await db
    .deleteFrom('bill_rows')
    .where('organization_id', '=', organization_id)
    .where('vendor', '=', vendor)
    .where('document', '=', document)
    .where('account', '=', account)
    .where(
      'day',
      'in',
      days.map(({ day }) => day),
    )
    .execute();
  const values = days.flatMap(({ day, rows }) =>
    rows.map(({ refs, model, kind, tier, requests, tokens, cost }, nth) => [
      ...[organization_id, vendor, day, document, account],
      ...[nth, refs, model, kind, tier, requests, tokens, cost],
    ]),
  );
  await insertRows(db, { table: 'bill_rows', columns: rowColumns, ending: '' }, values);
}

const keyColumns = {
  organization_id: 'text',
  vendor: 'text',
  day: 'text',
  document: 'text',
  account: 'text',
} as const;

const dayColumns = {
  ...keyColumns,
  import_id: 'text',
  imported_at: 'bigint',
  imported_by: 'text',
  rows: 'bigint',
  final: 'bigint',
  cost: 'bigint',
  digest: 'text',
} as const satisfies Record<keyof BillDayRow, 'text' | 'bigint'>;

const newColumns = Object.keys(dayColumns).filter((column) => !Object.hasOwn(keyColumns, column));

const rowColumns = {
  ...keyColumns,
  nth: 'bigint',
  refs: 'text',
  model: 'text',
  kind: 'text',
  tier: 'text',
  requests: 'bigint',
  tokens: 'text',
  cost: 'bigint',
} as const;

type PageKey = readonly [day: string, document: BillDocument, account: string];

function message({ day, before, unchanged, twin }: Replacement) {
  return {
    day: day.day,
    rows: day.rows.length,
    ...(day.cost !== null && { costUsd: usdOfNano(day.cost) }),
    replaced: before !== undefined,
    unchanged,
    ...(twin !== undefined && { sameAsAccount: twin }),
  } satisfies ImportedDay;
}

function summary(row: BillDayRow) {
  return {
    document: billDocuments.names[row.document],
    account: row.account,
    day: row.day,
    rows: row.rows,
    ...(row.cost !== null && { costUsd: usdOfNano(row.cost) }),
    importedAt: timeText(row.imported_at),
    importedBy: row.imported_by,
    importId: row.import_id,
    preliminary: row.final === 0,
  } satisfies BillDaySummary;
}
