// People whom an owner has named as readers of captured content, until an end.
import type { Kysely } from 'kysely';
import type { CaptureReader } from '../../proto/generated/gateway/v1/CaptureReader.ts';
import type { GrantCaptureReaderRequest__Output } from '../../proto/generated/gateway/v1/GrantCaptureReaderRequest.ts';
import type { ListCaptureReadersRequest__Output } from '../../proto/generated/gateway/v1/ListCaptureReadersRequest.ts';
import type { ListCaptureReadersResponse } from '../../proto/generated/gateway/v1/ListCaptureReadersResponse.ts';
import type { RevokeCaptureReaderRequest__Output } from '../../proto/generated/gateway/v1/RevokeCaptureReaderRequest.ts';
import type { RevokeCaptureReaderResponse } from '../../proto/generated/gateway/v1/RevokeCaptureReaderResponse.ts';
import { captureEnd } from '../domain/capture.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import type { CaptureReadersTable } from '../store/capture-tables.ts';
import type { Schema } from '../store/schema.ts';
import { readNames } from '../usage/names.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

/** Of one organization. */
const readersMax = 100;

/** Whether the caller may open content of the organization. A role alone gives it to owners only. */
export async function mayOpenCaptures(
  db: Kysely<Schema>,
  { role, personId, isServiceAccount }: OperatorCaller,
  { organizationId, now }: { readonly organizationId: string; readonly now: number },
): Promise<boolean> {
  if (isServiceAccount === true) return false;
  if (role === 'owner') return true;
  return (await grantOf(db, organizationId, personId, now)) !== undefined;
}

export async function grant(
  call: ChangeCall,
  request: GrantCaptureReaderRequest__Output,
): Promise<Outcome<CaptureReader>> {
  const { db, now, caller } = call;
  const { organizationId } = request;
  const fields = checked({ person_id: id(request.personId), ends_at: captureEnd(now)(request.endsAt) });
  const person = await db
    .selectFrom('people')
    .select(['name', 'kind'])
    .where('id', '=', fields.person_id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (person === undefined || person.kind === 'service')
    throw invalidRequest([
      { field: 'person_id', description: 'must be a person of the organization, no service account' },
    ]);
  const before = await grantOf(db, organizationId, fields.person_id, now);
  // The person's own, and ended ones of others.
  await db
    .deleteFrom('capture_readers')
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('person_id', '=', fields.person_id), where('ends_at', '<=', now)]))
    .execute();
  await expectRoom(db, organizationId);
  const row: CaptureReadersTable = {
    organization_id: organizationId,
    person_id: fields.person_id,
    granted_by: caller.personId,
    granted_at: now,
    ends_at: fields.ends_at,
  };
  await db.insertInto('capture_readers').values(row).execute();
  const after = message(row, person.name);
  return { ...recorded(row), result: after, ...(before && { before: message(before, person.name) }), after };
}

export async function revoke(
  call: ChangeCall,
  request: RevokeCaptureReaderRequest__Output,
): Promise<Outcome<RevokeCaptureReaderResponse>> {
  const { organizationId } = request;
  const { person_id: personId } = checked({ person_id: id(request.personId) });
  const row = await grantOf(call.db, organizationId, personId, call.now);
  if (row === undefined) throw notFound('person_id');
  await call.db
    .deleteFrom('capture_readers')
    .where('organization_id', '=', organizationId)
    .where('person_id', '=', personId)
    .execute();
  return { ...recorded(row), result: {}, before: message(row, undefined) };
}

export async function listReaders(
  { db, now }: ReadCall,
  { organizationId }: ListCaptureReadersRequest__Output,
): Promise<ListCaptureReadersResponse> {
  const rows = await db
    .selectFrom('capture_readers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('ends_at', '>', now)
    .orderBy('person_id')
    .limit(readersMax)
    .execute();
  const names = await readNames(db, 'people', { organizationId, ids: rows.map((row) => row.person_id) });
  return { readers: rows.map((row) => message(row, names.get(row.person_id))) };
}

async function grantOf(db: Kysely<Schema>, organizationId: string, personId: string, now: number) {
  return await db
    .selectFrom('capture_readers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('person_id', '=', personId)
    .where('ends_at', '>', now)
    .executeTakeFirst();
}

/** @throws CallError */
async function expectRoom(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('capture_readers')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < readersMax) return;
  throw new CallError('too_many_captures', `there are ${readersMax} readers already; revoke one that is not needed`);
}

/** No proxy's record contains readers, so nothing is invalidated. */
function recorded({ organization_id: organizationId, person_id: personId }: CaptureReadersTable) {
  return { organizationId, target: { kind: 'capture_reader', id: personId }, invalidations: [] };
}

function message(row: CaptureReadersTable, name: string | undefined): CaptureReader {
  return {
    organizationId: row.organization_id,
    personId: row.person_id,
    ...(name !== undefined && { personName: name }),
    grantedBy: row.granted_by,
    grantedAt: timeText(row.granted_at),
    endsAt: timeText(row.ends_at),
  };
}
