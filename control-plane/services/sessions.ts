// Sessions of the console: links that sign in, lists, revocation. What makes sessions is in auth/.
import type { Selectable } from 'kysely';
import { createCredential, hashCredential } from '../../common/credential.ts';
import { minuteMs } from '../../common/durations.ts';
import type { ConsoleLink } from '../../proto/generated/gateway/v1/ConsoleLink.ts';
import type { ListSessionsRequest__Output } from '../../proto/generated/gateway/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse } from '../../proto/generated/gateway/v1/ListSessionsResponse.ts';
import type { RevokeSessionRequest__Output } from '../../proto/generated/gateway/v1/RevokeSessionRequest.ts';
import type { Session } from '../../proto/generated/gateway/v1/Session.ts';
import { signInMethods } from '../../proto/words/sessions.ts';
import { endSession } from '../auth/sessions.ts';
import { mayHandleTokensOf } from '../domain/roles.ts';
import { timeText } from '../domain/shared-fields.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { findPerson } from './people.ts';

type Row = Selectable<Schema['console_sessions']>;

const linkMs = 10 * minuteMs;

export async function createLink(call: ChangeCall): Promise<Outcome<ConsoleLink>> {
  const { caller, now, db } = call;
  const base = call.deps.replica.linkBase();
  // A session makes no other session: an access token works for five minutes and makes nothing that works longer.
  if (base === undefined || caller.session !== undefined || caller.isServiceAccount) {
    throw new CallError(
      'link_unavailable',
      'a gateway that runs as one process (`npm start`) makes links, with an operator token; elsewhere open the console and sign in',
    );
  }
  const link = createCredential('link');
  const endsAt = now + linkMs;
  await db.deleteFrom('console_links').where('ends_at', '<=', now).execute();
  await db
    .insertInto('console_links')
    .values({ hash: hashCredential(link), person_id: caller.personId, ends_at: endsAt })
    .execute();
  return {
    // A browser sends no fragment, so no log gets the link.
    result: { url: `${base}#link=${link}`, endsAt: timeText(endsAt) },
    organizationId: caller.organizationId,
    target: { kind: 'person', id: caller.personId },
    after: { endsAt: timeText(endsAt) },
    invalidations: [],
  };
}

export async function list(call: ReadCall, request: ListSessionsRequest__Output): Promise<ListSessionsResponse> {
  const { caller, db } = call;
  const { organizationId } = request;
  if (organizationId !== undefined && caller.role === 'member') {
    throw permissionDenied('a member sees their own sessions only: leave organization_id out');
  }
  const people = db.selectFrom('people').select(['id', 'name']);
  const seen =
    organizationId === undefined
      ? people.where('id', '=', caller.personId)
      : people.where('organization_id', '=', organizationId);
  const query = db.selectFrom('console_sessions').selectAll().where('person_id', 'in', seen.clearSelect().select('id'));
  const { items, nextPageToken } = await pageOf(query, request, (row) => row);
  const names = await namesOf(
    db,
    items.map((row) => row.person_id),
  );
  return { sessions: items.map((row) => message(row, names.get(row.person_id) ?? '', call)), nextPageToken };
}

export async function revoke(call: ChangeCall, request: RevokeSessionRequest__Output): Promise<Outcome<Session>> {
  const { db, now, caller } = call;
  const before = await db.selectFrom('console_sessions').selectAll().where('id', '=', request.id).executeTakeFirst();
  if (before === undefined) throw notFound('id');
  const person = await findPerson(db, before.person_id);
  if (!mayHandleTokensOf(caller, person)) {
    throw permissionDenied('an admin ends the sessions of anybody but owners, a member only their own');
  }
  if (before.ended_at !== null) return { unchanged: message(before, person.name, call) };
  await endSession(call, before.id);
  const after = message({ ...before, ended_at: now }, person.name, call);
  return {
    result: after,
    organizationId: person.organization_id ?? undefined,
    target: { kind: 'session', id: before.id },
    before: message(before, person.name, call),
    after,
    invalidations: [],
  };
}

async function namesOf(db: ReadCall['db'], ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('people')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function message(row: Row, personName: string, { caller }: Pick<ReadCall, 'caller'>) {
  return {
    id: row.id,
    personId: row.person_id,
    personName,
    method: signInMethods.names[row.method],
    createdAt: timeText(row.created_at),
    seenAt: timeText(row.seen_at),
    idleEndsAt: timeText(row.idle_ends_at),
    endsAt: timeText(row.ends_at),
    ...(row.ended_at === null ? {} : { endedAt: timeText(row.ended_at) }),
    address: row.address,
    userAgent: row.user_agent,
    current: caller.session?.id === row.id,
  } satisfies Session;
}
