// What a person at the console decides about programs: one on the machine of their browser, or a device that shows a
// code. Wrong codes are counted by session, so that nobody finds another person's by trying.
import { hashCredential } from '../../common/credential.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { ApproveDeviceRequest__Output } from '../../proto/generated/gateway/v1/ApproveDeviceRequest.ts';
import type { ApproveProgramRequest__Output } from '../../proto/generated/gateway/v1/ApproveProgramRequest.ts';
import type { ApproveProgramResponse } from '../../proto/generated/gateway/v1/ApproveProgramResponse.ts';
import type { Device } from '../../proto/generated/gateway/v1/Device.ts';
import { createCookieValue } from '../auth/cookie.ts';
import { codeMs, userCodeHash } from '../auth/programs.ts';
import { type Field, invalid, valid } from '../domain/field.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import type { CallerSession } from '../rpc/caller.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, permissionDenied } from '../rpc/errors.ts';
import type { ChangeCall, Outcome } from './method.ts';

const wrongCodesMax = 5;

export async function approveProgram(
  call: ChangeCall,
  request: ApproveProgramRequest__Output,
): Promise<Outcome<ApproveProgramResponse>> {
  const { db, now, caller } = call;
  const session = sessionOf(call);
  const fields = checked({ name: name(request.name), code_challenge: codeChallenge(request.codeChallenge) });
  const code = createCookieValue();
  const endsAt = now + codeMs;
  await db.deleteFrom('program_logins').where('ends_at', '<=', now).execute();
  await db
    .insertInto('program_logins')
    .values({
      ...{ id: uuidv7(now), hash: hashCredential(code), user_code_hash: null, challenge: fields.code_challenge },
      ...{ name: fields.name, address: caller.from, state: 'approved', person_id: caller.personId },
      ...{ session_id: session.id, created_at: now, ends_at: endsAt, polled_at: null },
    })
    .execute();
  return { ...recorded(call, session), result: { code }, after: { name: fields.name } };
}

/** A wrong code is no error, so that its count is stored. */
export async function approveDevice(call: ChangeCall, request: ApproveDeviceRequest__Output): Promise<Outcome<Device>> {
  const { db, now, caller } = call;
  const session = sessionOf(call);
  await expectFewWrong(call, session);
  const login = await db
    .selectFrom('program_logins')
    .selectAll()
    .where('user_code_hash', '=', userCodeHash(request.userCode))
    .where('state', '=', 'waiting')
    .where('ends_at', '>', now)
    .executeTakeFirst();
  if (login === undefined) {
    await db
      .updateTable('console_sessions')
      .set((column) => ({ wrong_codes: column('wrong_codes', '+', 1) }))
      .where('id', '=', session.id)
      .execute();
    return { ...recorded(call, session), result: { found: false }, after: { found: false } };
  }
  const result = { found: true, name: login.name, address: login.address, createdAt: timeText(login.created_at) };
  if (request.approve === undefined) return { unchanged: result };
  const state = request.approve ? 'approved' : 'denied';
  await db
    .updateTable('program_logins')
    .set({ state, person_id: caller.personId, session_id: session.id })
    .where('id', '=', login.id)
    .execute();
  return { ...recorded(call, session), result, after: { name: login.name, address: login.address, state } };
}

/** @throws CallError */
function sessionOf({ caller }: ChangeCall): CallerSession {
  if (caller.session !== undefined) return caller.session;
  throw permissionDenied('a program is approved at the console, by somebody who is signed in there');
}

/** @throws CallError */
async function expectFewWrong({ db }: ChangeCall, session: CallerSession): Promise<void> {
  const row = await db
    .selectFrom('console_sessions')
    .select('wrong_codes')
    .where('id', '=', session.id)
    .executeTakeFirst();
  if (row !== undefined && row.wrong_codes < wrongCodesMax) return;
  throw new CallError('too_many_codes', 'too many wrong codes in this session; sign out and in to try another');
}

/** 43 characters of base64url: SHA-256. */
function codeChallenge(text: string): Field<string> {
  return /^[A-Za-z0-9_-]{43}$/.test(text) ? valid(text) : invalid('must be a code challenge of method S256');
}

function recorded({ caller }: ChangeCall, { id }: CallerSession) {
  return { organizationId: caller.organizationId, target: { kind: 'session', id }, invalidations: [] };
}
