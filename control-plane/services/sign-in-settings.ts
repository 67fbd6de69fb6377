// How an organization's people get to their sign-in page, and how long they stay signed in. A platform operator changes
// the slug alone, which names the organization among all others.
import type { Kysely, Selectable } from 'kysely';
import { minuteMs } from '../../common/durations.ts';
import { isSlug, slugOf } from '../../common/slug.ts';
import type { GetSignInSettingsRequest__Output } from '../../proto/generated/gateway/v1/GetSignInSettingsRequest.ts';
import type { SignInSettings } from '../../proto/generated/gateway/v1/SignInSettings.ts';
import type { UpdateSignInSettingsRequest__Output } from '../../proto/generated/gateway/v1/UpdateSignInSettingsRequest.ts';
import { chosenIssuersOf } from '../auth/realm.ts';
import { shortenSessionsOf } from '../auth/session-times.ts';
import { endSessionsInRealm } from '../auth/sessions.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { within } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type Row = Selectable<Schema['sign_in_settings']>;

const minutes = { min: 5, idleMax: 1440, sessionMax: 43_200 };

export async function get(call: ReadCall, request: GetSignInSettingsRequest__Output): Promise<SignInSettings> {
  const { organizationId } = request;
  const slugText = await slugOfOrganization(call.db, organizationId);
  return message(slugText, await settingsOf(call.db, organizationId), await platformIssuers(call.db));
}

export async function update(
  call: ChangeCall,
  request: UpdateSignInSettingsRequest__Output,
): Promise<Outcome<SignInSettings>> {
  const { db, caller } = call;
  const { organizationId } = request;
  const offered = await platformIssuers(db);
  const fields = checked({
    slug: optional(slug, request.slug),
    idle_minutes: optional(shortened(minutes.idleMax), request.idleMinutes),
    session_minutes: optional(shortened(minutes.sessionMax), request.sessionMinutes),
    platform_issuer_ids: optional(ofPlatform(offered), request.platformIssuerIds?.ids),
  });
  const others = [request.idleMinutes, request.sessionMinutes, request.platformIssuerIds];
  if (caller.role === 'platform_operator' && others.some((value) => value !== undefined)) {
    throw permissionDenied('a platform operator changes the slug alone; the rest is the owners’');
  }
  const slugBefore = await slugOfOrganization(db, organizationId);
  const before = await settingsOf(db, organizationId);
  const slugAfter = fields.slug ?? slugBefore;
  const after: Row = {
    ...before,
    idle_ms: fields.idle_minutes === undefined ? before.idle_ms : fields.idle_minutes,
    max_ms: fields.session_minutes === undefined ? before.max_ms : fields.session_minutes,
    platform_issuers: fields.platform_issuer_ids ? JSON.stringify(fields.platform_issuer_ids) : before.platform_issuers,
  };
  const result = message(slugAfter, after, offered);
  if (slugAfter === slugBefore && isSame(before, after)) return { unchanged: result };
  if (slugAfter !== slugBefore) await rename(call, organizationId, slugAfter);
  await db
    .insertInto('sign_in_settings')
    .values(after)
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(after))
    .execute();
  await shortenSessionsOf(call, organizationId);
  await endSessionsInRealm(call, organizationId, chosenIssuersOf(after, organizationId));
  return {
    result,
    organizationId,
    target: { kind: 'organization', id: organizationId },
    before: message(slugBefore, before, offered),
    after: result,
    invalidations: [],
  };
}

function slug(text: string): Field<string> {
  return isSlug(text) ? valid(text) : invalid('must be 3 to 40 of a-z, 0-9 and -');
}

/** Milliseconds; null: as the platform has it. */
function shortened(max: number): (value: number) => Field<number | null> {
  return (value) => {
    if (value === 0) return valid(null);
    const read = within(minutes.min, max)(value);
    return 'value' in read ? valid(read.value * minuteMs) : read;
  };
}

async function rename({ db }: ChangeCall, id: string, text: string): Promise<void> {
  if ((await organizationOfSlug(db, text)) !== undefined) {
    throw new CallError('name_taken', 'another organization has this slug');
  }
  await db.updateTable('organizations').set({ slug: text }).where('id', '=', id).execute();
}

export async function organizationOfSlug(db: Kysely<Schema>, text: string): Promise<string | undefined> {
  const row = await db.selectFrom('organizations').select('id').where('slug', '=', text).executeTakeFirst();
  return row?.id;
}

/** A slug made from the name of a new organization, which no other one has. */
export async function freeSlug(db: Kysely<Schema>, name: string): Promise<string> {
  const first = slugOf(name, () => false);
  const rows = await db
    .selectFrom('organizations')
    .select('slug')
    // All that a number can be added to begin alike.
    .where('slug', 'like', `${first.slice(0, beginning)}%`)
    .execute();
  const taken = new Set(rows.map((row) => row.slug));
  return slugOf(name, (text) => taken.has(text));
}

const beginning = 30;

/** @throws CallError not_found */
async function slugOfOrganization(db: Kysely<Schema>, id: string): Promise<string> {
  const row = await db.selectFrom('organizations').select('slug').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('organization_id');
  return row.slug ?? '';
}

export async function settingsOf(db: Kysely<Schema>, organizationId: string): Promise<Row> {
  const row = await db
    .selectFrom('sign_in_settings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row ?? { organization_id: organizationId, platform_issuers: '[]', idle_ms: null, max_ms: null };
}

type Offered = readonly { readonly id: string; readonly name: string }[];

async function platformIssuers(db: Kysely<Schema>): Promise<Offered> {
  return await db
    .selectFrom('issuers')
    .select(['id', 'name'])
    .where('organization_id', '=', platformId)
    .where('enabled', '=', 1)
    .orderBy('name')
    .execute();
}

/** Ids of issuers of the platform, each once. */
function ofPlatform(offered: Offered): (ids: readonly string[]) => Field<readonly string[]> {
  return (ids) =>
    ids.every((id) => offered.some((issuer) => issuer.id === id))
      ? valid([...new Set(ids)])
      : invalid('must be ids of enabled issuers of the platform', '.ids');
}

function message(slugText: string, row: Row, offered: Offered) {
  const chosen = chosenIssuersOf(row, row.organization_id);
  return {
    organizationId: row.organization_id,
    slug: slugText,
    ...(row.idle_ms !== null && { idleMinutes: row.idle_ms / minuteMs }),
    ...(row.max_ms !== null && { sessionMinutes: row.max_ms / minuteMs }),
    platformIssuers: offered.map(({ id, name }) => ({ id, name, chosen: chosen.includes(id) })),
  } satisfies SignInSettings;
}
