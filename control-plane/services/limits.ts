// Limits of an organization, an AI system, a person or a virtual key. A limit is part of its subject's record, so the
// change feed names that record when a limit changes. A deleted budget is no longer visible; its row stays for the
// ledger.
import type { Kysely } from 'kysely';
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateLimitRequest__Output } from '../../proto/generated/gateway/v1/CreateLimitRequest.ts';
import type { DeleteLimitRequest__Output } from '../../proto/generated/gateway/v1/DeleteLimitRequest.ts';
import type { DeleteLimitResponse } from '../../proto/generated/gateway/v1/DeleteLimitResponse.ts';
import type { GetLimitRequest__Output } from '../../proto/generated/gateway/v1/GetLimitRequest.ts';
import type { Limit } from '../../proto/generated/gateway/v1/Limit.ts';
import type { ListLimitsRequest__Output } from '../../proto/generated/gateway/v1/ListLimitsRequest.ts';
import type { ListLimitsResponse } from '../../proto/generated/gateway/v1/ListLimitsResponse.ts';
import type { UpdateLimitRequest__Output } from '../../proto/generated/gateway/v1/UpdateLimitRequest.ts';
import { type LimitKind, limitKinds, limitSubjects } from '../../proto/words/access.ts';
import { budgetCalendar, calendarStart, sameCalendar } from '../domain/budget-calendar.ts';
import { budgetTerms } from '../domain/budget-terms.ts';
import { optional } from '../domain/field.ts';
import { type LimitSubject, limitKind, limitResize, limitSize, limitSubject, unchanged } from '../domain/limit.ts';
import { limitCounting, ofPayer, sameCounting, softProblem } from '../domain/limit-counting.ts';
import { modelSelector, spentSelector } from '../domain/model-selector.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { calendarStartOf } from '../store/budget-columns.ts';
import { countingOf, kindOf, type LimitCounting } from '../store/limit-counting.ts';
import { organizationOrPlatform, ownerNamed } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { Invalidation } from '../store/store.ts';
import { flag, isSame } from './columns.ts';
import { changed } from './key-values.ts';
import { readKnownModels } from './known-models.ts';
import { findLimit, requireMayLimit, subjectOf } from './limit-access.ts';
import { withSubjectNames } from './limit-names.ts';
import { noteReached } from './limit-raises.ts';
import { deleteLimits, type LimitRow, limitMessage, lockWindowsOf, shownTo } from './limit-rows.ts';
import { requireTagNames } from './limit-tags.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';
import { organizationChanged } from './organizations.ts';
import { platformChanged } from './stop-rows.ts';
import { valuesOfKey } from './virtual-key-rows.ts';

/** For one subject: its record contains all of them, and every request is checked against all of them. */
export const limitsMax = 32;

export async function create(call: ChangeCall, request: CreateLimitRequest__Output): Promise<Outcome<Limit>> {
  const isBudget = request.kind === limitKinds.names.budget;
  const owner = ownerNamed(request.organizationId);
  const known = await readKnownModels(call.db, organizationOrPlatform(owner) ?? null, request.model);
  const subject = limitSubject(owner)(request.subject);
  const fields = checked({
    subject,
    kind: limitKind(request.kind),
    ...limitSize(isBudget, request),
    ...budgetCalendar(isBudget, request),
    ...budgetTerms(isBudget, request, request.model),
    ...limitCounting(request),
    model: optional((isBudget ? spentSelector : modelSelector)(known, request.allowUnmatched === true), request.model),
    ...ofPayer('value' in subject ? subject.value.kind : undefined, request),
  });
  const calendar = calendarStart(fields.time_zone, fields.starts_on);
  if (fields.kind === 'budget') await lockWindowsOf(call, owner);
  await requireExists(call.db, owner, { field: 'subject', ...fields.subject });
  await requireMayLimit(call, fields.subject);
  await requireSubject(call.db, fields.subject);
  const counting = countingText(fields);
  requireHard(fields.soft === true, fields);
  await requireTagNames(call.db, owner, fields);
  const row: LimitRow = {
    id: uuidv7(call.now),
    organization_id: owner,
    subject_kind: fields.subject.kind,
    subject_id: fields.subject.id,
    kind: isOfEarlier(fields.subject, counting)
      ? rowKind(fields.kind, fields.period, calendar)
      : `counter_${fields.kind}`,
    amount: fields.period === undefined ? fields.count : fields.amount_usd,
    model: fields.model?.stored ?? null,
    period: fields.period ?? null,
    ...termColumns(fields),
    calendar: calendar === undefined ? null : JSON.stringify(calendar),
    raises: null,
    counting,
    deleted_at: null,
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('limits').values(row).execute();
  const match = fields.model && { match: fields.model.match };
  return {
    ...(await recorded(call.db, row)),
    result: { ...limitMessage(row, call.now), ...match },
    after: limitMessage(row, call.now),
  };
}

export async function get(call: ReadCall, request: GetLimitRequest__Output): Promise<Limit> {
  const row = await findLimit(call.db, request.id);
  const shown = await call.db
    .selectFrom('limits')
    .select('id')
    .where('id', '=', row.id)
    .where(shownTo(call.caller))
    .executeTakeFirst();
  if (shown === undefined) throw permissionDenied('a member sees the limits that apply to themself only');
  const [limit] = await withSubjectNames(call.db, row.organization_id, [limitMessage(row, call.now)]);
  return limit ?? limitMessage(row, call.now);
}

export async function list(call: ReadCall, request: ListLimitsRequest__Output): Promise<ListLimitsResponse> {
  const owner = ownerNamed(request.organizationId);
  const { subject } = checked({ subject: optional(limitSubject(owner), request.subject) });
  let query = call.db
    .selectFrom('limits')
    .selectAll()
    .where('organization_id', '=', owner)
    .where('deleted_at', 'is', null)
    .where(shownTo(call.caller));
  if (subject !== undefined) {
    query = query.where('subject_kind', '=', subject.kind).where('subject_id', '=', subject.id);
  }
  const { items, nextPageToken } = await pageOf(query, request, (row) => limitMessage(row, call.now));
  return { limits: await withSubjectNames(call.db, owner, items), nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateLimitRequest__Output): Promise<Outcome<Limit>> {
  const before = await findLimit(call.db, request.id);
  const fields = checked({
    ...limitResize(before.period, request),
    ...budgetTerms(before.period !== null, request, before.model),
    ...sameCalendar(calendarStartOf(before), request),
    ...sameCounting(countingOf(before), request),
    ...fixedFields(request, before),
  });
  expectRevision(request.ifRevision, before.revision);
  await requireMayLimit(call, subjectOf(before));
  const counting = { ...countingOf(before), ...(fields.required !== undefined && { required: fields.required }) };
  const terms = termColumns(fields, before);
  requireHard(terms.soft === 1, counting);
  const columns = {
    amount: fields.amount_usd ?? fields.count ?? before.amount,
    ...terms,
    counting: countingText(counting),
    // A selector that was stored with an alias of its provider is rewritten with the canonical name.
    model: before.model === null ? null : storedSelector(before.model),
  };
  if (isSame(before, columns)) return { unchanged: limitMessage(before, call.now) };
  if (before.period !== null) await lockWindowsOf(call, before.organization_id);
  const after: LimitRow = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('limits').set(after).where('id', '=', before.id).execute();
  await noteReached(call, after.id);
  return {
    ...(await recorded(call.db, before)),
    result: limitMessage(after, call.now),
    before: limitMessage(before, call.now),
    after: limitMessage(after, call.now),
  };
}

export async function remove(
  call: ChangeCall,
  request: DeleteLimitRequest__Output,
): Promise<Outcome<DeleteLimitResponse>> {
  const row = await findLimit(call.db, request.id);
  await requireMayLimit(call, subjectOf(row));
  await deleteLimits(call, (where) => where('id', '=', row.id));
  return { ...(await recorded(call.db, row)), result: {}, before: limitMessage(row, call.now) };
}

/** Programs of the version before know neither tags, counters and parts of the traffic nor budgets of those who pay. */
function isOfEarlier({ kind }: LimitSubject, counting: string | null): boolean {
  return counting === null && kind !== 'provider_key' && kind !== 'platform';
}

/** Programs of the version before know neither the periods nor the calendars that came later. */
function rowKind(kind: LimitKind, period: BudgetPeriod | undefined, calendar: object | undefined): LimitRow['kind'] {
  if (kind !== 'budget') return kind;
  return calendar === undefined && period !== 'hour' && period !== 'quarter' ? 'budget' : 'calendar_budget';
}

/** Null: all requests, in one counter. */
function countingText({ tag, each, required, traffic }: LimitCounting): string | null {
  if (tag === undefined && each === undefined && traffic === undefined) return null;
  return JSON.stringify({ tag, each, ...(required === true && { required }), traffic } satisfies LimitCounting);
}

/** @throws CallError for a soft budget that requires a tag */
function requireHard(soft: boolean, counting: LimitCounting): void {
  const description = softProblem(soft, counting);
  if (description !== undefined) throw invalidRequest([{ field: 'required', description }]);
}

type TermFields = { readonly soft: boolean | undefined; readonly thresholds: readonly number[] | undefined };

/** @param before what stays if a field is absent; without it, what a new limit has */
function termColumns({ soft, thresholds }: TermFields, before?: Pick<LimitRow, 'soft' | 'thresholds'>) {
  return {
    soft: soft === undefined ? (before?.soft ?? 0) : flag(soft),
    thresholds: thresholds === undefined ? (before?.thresholds ?? null) : JSON.stringify(thresholds),
  };
}

function fixedFields({ subject, kind, model }: UpdateLimitRequest__Output, row: LimitRow) {
  const { subject_kind, subject_id } = row;
  const sameSubject = subject?.kind === limitSubjects.names[subject_kind] && subject.id === subject_id;
  return {
    subject: unchanged(!subject || sameSubject),
    kind: unchanged(kind === undefined || kind === limitKinds.names[kindOf(row)]),
    model: unchanged(model === undefined || sameModels(model, row.model)),
  };
}

/** Compares canonical names, so any of a model's names counts as the same. */
function sameModels(text: string, stored: string | null): boolean {
  return stored === null ? text === '' : canonicalSelector(text) === canonicalSelector(stored);
}

/** @throws CallError */
async function requireSubject(db: Kysely<Schema>, subject: LimitSubject): Promise<void> {
  const { count } = await db
    .selectFrom('limits')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('subject_id', '=', subject.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (count < limitsMax) return;
  throw new CallError('too_many_limits', `it has ${limitsMax} already; delete one that is not needed`);
}

async function recorded(db: Kysely<Schema>, row: LimitRow) {
  return {
    organizationId: organizationOrPlatform(row.organization_id),
    target: { kind: 'limit', id: row.id },
    invalidations: await whoseRecord(db, row),
  };
}

/** The record that contains the limit. A key has one for each of its values. */
async function whoseRecord(db: Kysely<Schema>, row: LimitRow): Promise<readonly Invalidation[]> {
  const { kind, id } = subjectOf(row);
  switch (kind) {
    case 'organization':
    case 'provider_key':
      return [organizationChanged(row.organization_id)];
    case 'platform':
      return [platformChanged];
    case 'ai_system':
    case 'person':
      return [{ kind, ref: id, state: 'changed' }];
    case 'virtual_key':
      return (await valuesOfKey(db, id)).map((value) => changed(value.hash));
  }
}
