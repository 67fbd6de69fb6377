// Users of SCIM in the database. `active` is the person's: what an admin has deactivated by hand stays so.
import { type Kysely, type Selectable, sql } from 'kysely';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { anObject } from '../../common/json-shape.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { ScimError } from './error.ts';
import { listResponse, metaOf, type Resource, readPage, type View } from './lists.ts';
import { patched } from './patch.ts';
import { type Filter, readFilter } from './path.ts';
import {
  addressOf,
  giveRoles,
  linkPerson,
  moveIdentity,
  type PersonRow,
  renamePerson,
  type ScimChange,
  setActive,
  type Who,
} from './people.ts';
import { readResource } from './resource.ts';
import { pageMax, userSchema } from './schema.ts';

type Row = Selectable<Schema['scim_users']>;
/** A user with what of their person is shown. */
type FullRow = Row & { readonly active: 0 | 1; readonly person_revision: number };

const usersMax = 50_000;
const attributesOf = jsonColumn('scim_users', 'attributes', anObject);

export async function createUser(tx: ScimChange, body: unknown): Promise<string> {
  const resource = readResource(userSchema, body);
  await expectRoom(tx);
  await expectFreeName(tx, resource, undefined);
  const { person, isMade } = await linkPerson(tx, whoOf(resource));
  const other = await tx.db
    .selectFrom('scim_users')
    .select('id')
    .where('issuer_id', '=', tx.issuer.id)
    .where('person_id', '=', person.id)
    .executeTakeFirst();
  if (other !== undefined) throw new ScimError(409, 'another user is the same person', 'uniqueness');
  const { now, revision, issuer } = tx;
  const row: Row = {
    ...{ id: uuidv7(now), issuer_id: issuer.id, person_id: person.id, made_person: isMade ? 1 : 0 },
    ...columnsOf(resource),
    ...{ created_at: now, modified_at: now, revision },
  };
  await tx.db.insertInto('scim_users').values(row).execute();
  await setActive(tx, person, resource.active !== false);
  return row.id;
}

export async function replaceUser(tx: ScimChange, row: FullRow, body: unknown): Promise<boolean> {
  return await writeUser(tx, row, readResource(userSchema, body));
}

export async function patchUser(tx: ScimChange, row: FullRow, body: unknown): Promise<boolean> {
  return await writeUser(tx, row, patched(userSchema, resourceOf(row), body));
}

/** The person stays, inactive. */
export async function deleteUser(tx: ScimChange, row: FullRow): Promise<void> {
  await setActive(tx, await personOf(tx.db, row), false);
  const { db, revision, now } = tx;
  const memberships = db.selectFrom('scim_members').select('group_id').where('user_id', '=', row.id);
  await db.updateTable('scim_groups').set({ revision, modified_at: now }).where('id', 'in', memberships).execute();
  await db.deleteFrom('scim_users').where('id', '=', row.id).execute();
}

/** @returns whether anything has changed */
async function writeUser(tx: ScimChange, row: FullRow, resource: JsonObject): Promise<boolean> {
  const before = resourceOf(row);
  const person = await personOf(tx.db, row);
  if (typeof resource.active === 'boolean') await setActive(tx, person, resource.active);
  const [columns, former] = [columnsOf(resource), columnsOf(before)];
  if (JSON.stringify(columns) === JSON.stringify(former)) return tx.changedPeople.size > 0;
  await expectFreeName(tx, resource, row.id);
  const isMade = row.made_person === 1;
  if (columns.external_id !== former.external_id) {
    await moveIdentity(tx, { person, isMade }, columns.external_id ?? undefined);
  }
  const [who, was] = [whoOf(resource), whoOf(before)];
  if (isMade && JSON.stringify(who) !== JSON.stringify(was)) await renamePerson(tx, person, who);
  await tx.db
    .updateTable('scim_users')
    .set({ ...columns, modified_at: tx.now, revision: tx.revision })
    .where('id', '=', row.id)
    .execute();
  await giveRoles(tx, [row.id]);
  return true;
}

/** @throws ScimError */
export async function findUser(db: Kysely<Schema>, issuerId: string, id: string): Promise<FullRow> {
  const row = await users(db, issuerId).where('scim_users.id', '=', id).executeTakeFirst();
  if (row === undefined) throw new ScimError(404, 'there is no such user');
  return row;
}

export async function listUsers(db: Kysely<Schema>, issuerId: string, view: View): Promise<object> {
  const page = readPage(view.query, pageMax);
  const text = view.query.get('filter');
  const filter = text === null ? undefined : readFilter(userSchema, text, filters);
  const { total } = await filtered(db.selectFrom('scim_users').where('issuer_id', '=', issuerId), filter)
    .select((column) => column.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows =
    page.count === 0
      ? []
      : await filtered(users(db, issuerId), filter)
          .orderBy('scim_users.id')
          .limit(page.count)
          .offset(page.startIndex - 1)
          .execute();
  return listResponse(
    Number(total),
    page,
    rows.map((row) => userResource(row, view)),
    view,
  );
}

export function userResource(row: FullRow, { base }: View): Resource {
  const { etag, location, meta } = metaOf('User', row, { version: `${row.revision}-${row.person_revision}`, base });
  return { etag, location, body: { schemas: [userSchema.id], id: row.id, ...resourceOf(row), meta } };
}

const filters = ['username', 'externalid', 'emails.value', 'id'];

/** Values are parameters; in the list of addresses no letter is a wildcard. */
function filtered<Query extends { where(condition: ReturnType<typeof sql<boolean>>): Query }>(
  query: Query,
  filter: Filter | undefined,
): Query {
  if (filter === undefined) return query;
  const { name, value } = filter;
  switch (name) {
    case 'username':
      return query.where(sql<boolean>`scim_users.user_name_key = ${keyOf(value)}`);
    case 'externalid':
      return query.where(sql<boolean>`scim_users.external_id = ${value}`);
    case 'id':
      return query.where(sql<boolean>`scim_users.id = ${value}`);
    default: {
      const pattern = JSON.stringify(keyOf(value)).replace(/[\\%_]/g, (letter) => `\\${letter}`);
      return query.where(sql<boolean>`scim_users.emails like ${`%${pattern}%`} escape '\\'`);
    }
  }
}

function users(db: Kysely<Schema>, issuerId: string) {
  return db
    .selectFrom('scim_users')
    .innerJoin('people', 'people.id', 'scim_users.person_id')
    .selectAll('scim_users')
    .select(['people.active', 'people.revision as person_revision'])
    .where('scim_users.issuer_id', '=', issuerId);
}

async function personOf(db: Kysely<Schema>, { person_id }: Row): Promise<PersonRow> {
  return await db.selectFrom('people').selectAll().where('id', '=', person_id).executeTakeFirstOrThrow();
}

/** The attributes of a stored user. */
function resourceOf(row: FullRow): JsonObject {
  return {
    userName: row.user_name,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...attributesOf(row),
    active: row.active === 1,
  };
}

function columnsOf({ userName, externalId, active: _, ...attributes }: JsonObject) {
  const name = String(userName);
  return {
    user_name: name,
    user_name_key: keyOf(name),
    external_id: typeof externalId === 'string' ? externalId : null,
    emails: JSON.stringify(addressesOf(attributes).map(keyOf)),
    attributes: JSON.stringify(sortedBySchema(attributes)),
  };
}

/** In one order, so that equal attributes are equal texts. */
function sortedBySchema(attributes: JsonObject): JsonObject {
  const known = userSchema.attributes.map(({ name }) => name).filter((name) => attributes[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, attributes[name]]));
}

function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function addressesOf({ emails }: JsonObject): readonly string[] {
  const all = objectsOf(emails);
  const sorted = all.toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true));
  return sorted.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

function whoOf(resource: JsonObject): Who {
  const { userName, displayName, externalId, name } = resource;
  const parts = isObject(name) ? name : {};
  const joined = [parts.givenName, parts.familyName].filter((part) => typeof part === 'string').join(' ');
  const names = [displayName, parts.formatted, joined, userName];
  const address = addressesOf(resource)[0] ?? (typeof userName === 'string' ? userName : undefined);
  return {
    externalId: typeof externalId === 'string' ? externalId : undefined,
    email: addressOf(address),
    names: names.filter((text): text is string => typeof text === 'string' && text !== ''),
  };
}

/** @throws ScimError uniqueness */
async function expectFreeName(
  { db, issuer }: ScimChange,
  resource: JsonObject,
  own: string | undefined,
): Promise<void> {
  const other = await db
    .selectFrom('scim_users')
    .select('id')
    .where('issuer_id', '=', issuer.id)
    .where('user_name_key', '=', keyOf(String(resource.userName)))
    .executeTakeFirst();
  if (other !== undefined && other.id !== own) throw new ScimError(409, 'the userName is taken', 'uniqueness');
  if (typeof resource.externalId !== 'string') return;
  const twins = await db
    .selectFrom('scim_users')
    .select('id')
    .where('issuer_id', '=', issuer.id)
    .where('external_id', '=', resource.externalId)
    .execute();
  if (twins.some(({ id }) => id !== own)) throw new ScimError(409, 'the externalId is taken', 'uniqueness');
}

async function expectRoom({ db, issuer }: ScimChange): Promise<void> {
  const { count } = await db
    .selectFrom('scim_users')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('issuer_id', '=', issuer.id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= usersMax) throw new ScimError(409, `there are ${usersMax} users already`);
}
