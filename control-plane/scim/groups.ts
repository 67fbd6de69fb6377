// Groups of SCIM in the database. Their names and external ids count as values of the claim `groups`: a change gives
// each member the role of the issuer's first row that fits.
import type { Kysely, Selectable } from 'kysely';
import { type JsonObject, objectsOf } from '../../common/json.ts';
import { isUuid, uuidv7 } from '../../common/uuid.ts';
import type { Schema } from '../store/schema.ts';
import { invalidValue, ScimError } from './error.ts';
import { listResponse, metaOf, type Resource, readPage, type View } from './lists.ts';
import { patched } from './patch.ts';
import { readFilter } from './path.ts';
import { giveRoles, type ScimChange } from './people.ts';
import { readResource } from './resource.ts';
import { groupPageMax, groupSchema } from './schema.ts';

export type GroupRow = Selectable<Schema['scim_groups']>;

interface Member {
  readonly group_id: string;
  readonly user_id: string;
}

const groupsMax = 5000;
const rowsAtOnce = 500;

export async function createGroup(tx: ScimChange, body: unknown): Promise<string> {
  const resource = readResource(groupSchema, body);
  const { db, issuer, now, revision } = tx;
  const { count } = await db
    .selectFrom('scim_groups')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('issuer_id', '=', issuer.id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= groupsMax) throw new ScimError(409, `there are ${groupsMax} groups already`);
  const id = uuidv7(now);
  const row = { id, issuer_id: issuer.id, ...columnsOf(resource), created_at: now, modified_at: now, revision };
  await db.insertInto('scim_groups').values(row).execute();
  await writeMembers(tx, id, [], memberIds(resource));
  await giveRoles(tx, memberIds(resource));
  return id;
}

export async function replaceGroup(tx: ScimChange, row: GroupRow, body: unknown): Promise<boolean> {
  return await writeGroup(tx, row, () => readResource(groupSchema, body));
}

export async function patchGroup(tx: ScimChange, row: GroupRow, body: unknown): Promise<boolean> {
  return await writeGroup(tx, row, (before) => patched(groupSchema, before, body));
}

export async function deleteGroup(tx: ScimChange, row: GroupRow): Promise<void> {
  const members = (await membersOf(tx.db, [row.id])).map(({ user_id }) => user_id);
  await tx.db.deleteFrom('scim_groups').where('id', '=', row.id).execute();
  await giveRoles(tx, members);
}

/** @returns whether anything has changed */
async function writeGroup(tx: ScimChange, row: GroupRow, change: (before: JsonObject) => JsonObject): Promise<boolean> {
  const members = await membersOf(tx.db, [row.id]);
  const before = members.map(({ user_id }) => user_id);
  const resource = change({ ...resourceOf(row), members: before.map((value) => ({ value })) });
  const after = memberIds(resource);
  const columns = columnsOf(resource);
  const isRenamed = columns.display_name !== row.display_name || columns.external_id !== row.external_id;
  const touched = await writeMembers(tx, row.id, before, after);
  if (!isRenamed && touched.length === 0) return false;
  const { revision, now } = tx;
  await tx.db
    .updateTable('scim_groups')
    .set({ ...columns, revision, modified_at: now })
    .where('id', '=', row.id)
    .execute();
  await giveRoles(tx, isRenamed ? [...new Set([...before, ...after])] : touched);
  return true;
}

/** @returns the users who came or left @throws ScimError for users that are not the issuer's */
async function writeMembers(
  { db, issuer }: ScimChange,
  groupId: string,
  before: readonly string[],
  after: readonly string[],
): Promise<readonly string[]> {
  const [was, is] = [new Set(before), new Set(after)];
  const gone = before.filter((id) => !is.has(id));
  const added = after.filter((id) => !was.has(id));
  for (const some of parts(gone)) {
    await db.deleteFrom('scim_members').where('group_id', '=', groupId).where('user_id', 'in', some).execute();
  }
  for (const some of parts(added)) {
    const known = await db
      .selectFrom('scim_users')
      .select('id')
      .where('issuer_id', '=', issuer.id)
      .where('id', 'in', some)
      .execute();
    if (known.length < some.length) throw invalidValue('members must be ids of users of this issuer');
    const rows = some.map((user_id) => ({ group_id: groupId, user_id }));
    await db.insertInto('scim_members').values(rows).execute();
  }
  return [...gone, ...added];
}

function parts(ids: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(ids.length / rowsAtOnce);
  return Array.from({ length: count }, (_, index) => ids.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce));
}

/** @throws ScimError */
export async function findGroup(db: Kysely<Schema>, issuerId: string, id: string): Promise<GroupRow> {
  const row = await db
    .selectFrom('scim_groups')
    .selectAll()
    .where('issuer_id', '=', issuerId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new ScimError(404, 'there is no such group');
  return row;
}

const filters = { displayname: 'display_name', externalid: 'external_id', id: 'id' } as const;

export async function listGroups(db: Kysely<Schema>, issuerId: string, view: View): Promise<object> {
  const page = readPage(view.query, groupPageMax);
  const text = view.query.get('filter');
  const filter = text === null ? undefined : readFilter(groupSchema, text, Object.keys(filters));
  let query = db.selectFrom('scim_groups').where('issuer_id', '=', issuerId);
  for (const [name, column] of Object.entries(filters)) {
    if (filter?.name === name) query = query.where(column, '=', filter.value);
  }
  const { total } = await query.select((column) => column.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const offset = page.startIndex - 1;
  const rows = page.count === 0 ? [] : await query.selectAll().orderBy('id').limit(page.count).offset(offset).execute();
  return listResponse(Number(total), page, await groupResources(db, rows, view), view);
}

export async function groupResources(
  db: Kysely<Schema>,
  rows: readonly GroupRow[],
  { base, query }: View,
): Promise<readonly Resource[]> {
  const isWithout = query.get('excludedAttributes')?.toLowerCase().split(',').includes('members') === true;
  const members = isWithout
    ? []
    : await membersOf(
        db,
        rows.map(({ id }) => id),
      );
  return rows.map((row) => {
    const { etag, location, meta } = metaOf('Group', row, { version: String(row.revision), base });
    const own = members
      .filter(({ group_id }) => group_id === row.id)
      .map(({ user_id: value }) => ({ value, $ref: `${base}/Users/${value}` }));
    const shown = own.length === 0 ? {} : { members: own };
    return { etag, location, body: { schemas: [groupSchema.id], id: row.id, ...resourceOf(row), ...shown, meta } };
  });
}

async function membersOf(db: Kysely<Schema>, groupIds: readonly string[]): Promise<readonly Member[]> {
  if (groupIds.length === 0) return [];
  return await db.selectFrom('scim_members').selectAll().where('group_id', 'in', groupIds).orderBy('user_id').execute();
}

function resourceOf(row: GroupRow): JsonObject {
  return { displayName: row.display_name, ...(row.external_id !== null && { externalId: row.external_id }) };
}

function columnsOf({ displayName, externalId }: JsonObject) {
  return {
    display_name: String(displayName),
    external_id: typeof externalId === 'string' ? externalId : null,
  };
}

/** @throws ScimError */
function memberIds({ members }: JsonObject): readonly string[] {
  const ids = objectsOf(members).map(({ value }) => value);
  if (!ids.every((id): id is string => typeof id === 'string' && isUuid(id))) {
    throw invalidValue('members must be ids of users of this issuer');
  }
  return [...new Set(ids)];
}
