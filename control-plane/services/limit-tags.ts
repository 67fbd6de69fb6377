// Limits that count tags, and the tags of their organization: a limit names only tags that the organization has, and the
// organization keeps those that a limit counts. Otherwise requests would have no such tag, and the limit would not bind.
import type { Kysely } from 'kysely';
import { tagNamesOfLimit } from '../domain/limit-counting.ts';
import { invalidRequest } from '../rpc/checked.ts';
import { countingOf, type LimitCounting } from '../store/limit-counting.ts';
import type { Schema } from '../store/schema.ts';
import { tagNamesOf } from './columns.ts';

/** @throws CallError for a tag that the organization does not have */
export async function requireTagNames(
  db: Kysely<Schema>,
  organizationId: string,
  counting: LimitCounting,
): Promise<void> {
  const names = tagNamesOfLimit(counting);
  if (names.length === 0) return;
  const organization = await db
    .selectFrom('organizations')
    .select(['id', 'tag_names'])
    .where('id', '=', organizationId)
    .executeTakeFirst();
  const known = organization === undefined ? [] : tagNamesOf(organization);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const field = unknown === counting.tag?.name ? 'tag.name' : 'each';
  const description = 'must be a tag of the organization: add it to the tags of its settings first';
  throw invalidRequest([{ field, description }]);
}

/** @throws CallError for a change that takes away a tag that a limit counts */
export async function requireTagsOfLimits(
  db: Kysely<Schema>,
  organizationId: string,
  names: readonly string[],
): Promise<void> {
  const rows = await db
    .selectFrom('limits')
    .select(['id', 'counting'])
    .where('organization_id', '=', organizationId)
    .where('counting', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();
  const counted = rows.flatMap((row) => tagNamesOfLimit(countingOf(row) ?? {}).map((name) => ({ name, id: row.id })));
  const missing = counted.find(({ name }) => !names.includes(name));
  if (missing === undefined) return;
  const description = `must contain ${missing.name}: the limit ${missing.id} counts by it; delete that first`;
  throw invalidRequest([{ field: 'settings.tags.names', description }]);
}
