// The present names of the subjects of limits, read for a page.
import type { Kysely } from 'kysely';
import type { Limit } from '../../proto/generated/gateway/v1/Limit.ts';
import type { LimitSubject } from '../../proto/generated/gateway/v1/LimitSubject.ts';
import { limitSubjects } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';
import { readNames, readUsageNames } from '../usage/names.ts';

/** @param limits of one organization. @returns them with the names of their subjects */
export async function withSubjectNames<Shown extends Limit & { readonly subject: Required<LimitSubject> }>(
  db: Kysely<Schema>,
  organizationId: string,
  limits: readonly Shown[],
): Promise<(Shown & { readonly subjectName: string })[]> {
  const subjects = limits.map(({ subject }) => subject);
  const idsOf = (kind: keyof typeof limitSubjects.names) =>
    subjects.filter((subject) => subject.kind === limitSubjects.names[kind]).map(({ id }) => id);
  const { systems, people, keys } = await readUsageNames(db, organizationId, {
    ...{ systems: idsOf('ai_system'), people: idsOf('person'), keys: idsOf('virtual_key') },
  });
  const providerKeys = await readNames(db, 'provider_keys', { organizationId, ids: idsOf('provider_key') });
  const organization = idsOf('organization').length === 0 ? '' : await nameOfOrganization(db, organizationId);
  const nameOf = (id: string) => systems.get(id) ?? people.get(id) ?? keys.get(id)?.name ?? providerKeys.get(id);
  return limits.map((limit) => ({ ...limit, subjectName: nameOf(limit.subject.id) ?? organization }));
}

/** Empty if there is no such organization. */
export async function nameOfOrganization(db: Kysely<Schema>, id: string): Promise<string> {
  const row = await db.selectFrom('organizations').select('name').where('id', '=', id).executeTakeFirst();
  return row?.name ?? '';
}
