// Requests with tags, and what the ledger has of them: each row has the tags of its request, and sums by a tag equal the
// rows to the nano-dollar.
import { nanoOfUsd } from '../../common/money.ts';
import type { TestOrganization } from './gateway.ts';
import { costOf, type RecordedRequest } from './recorded.ts';

export const tagNames = ['feature', 'user'] as const;

const features = ['search', 'chat', 'translate'] as const;

export async function nameTags({ api, id }: TestOrganization, names: readonly string[] = tagNames): Promise<void> {
  await api.call('Organizations/UpdateSettings', { id, settings: { tags: { names: { names } } } });
}

/** The tags of a request by its name. */
export function tagsOfRequest(name: string): Readonly<Record<(typeof tagNames)[number], string>> {
  const sum = [...name].reduce((all, letter) => all + letter.charCodeAt(0), 0);
  return { feature: features[sum % features.length] ?? 'search', user: `user ${sum % 7}` };
}

/** One as a header, the other as the field of the body for it. */
export function taggedRequest(name: string) {
  const { feature, user } = tagsOfRequest(name);
  return { headers: { 'x-svc-tag-feature': feature }, fields: { safety_identifier: user } };
}

/** @param rows all of the organization, of requests that `taggedRequest` made */
export async function faultsOfTags(
  organization: TestOrganization,
  rows: readonly RecordedRequest[],
): Promise<string[]> {
  const faults = rows.flatMap(({ requestId, metadata = {} }) => {
    const tags = tagsOfRequest(requestId);
    return tagNames.every((name) => metadata[name] === tags[name])
      ? []
      : [`${requestId} has the tags ${JSON.stringify(metadata)}, not ${JSON.stringify(tags)}`];
  });
  for (const name of tagNames) faults.push(...(await faultsOfSums(organization, rows, name)));
  return faults;
}

async function faultsOfSums(organization: TestOrganization, rows: readonly RecordedRequest[], name: string) {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const value = row.metadata?.[name] ?? '';
    sums.set(value, (sums.get(value) ?? 0) + costOf(row));
  }
  const recorded = new Map(await costsBy(organization, name));
  return [...new Set([...sums.keys(), ...recorded.keys()])].flatMap((value) => {
    const [ofRows, ofSums] = [sums.get(value) ?? 0, recorded.get(value) ?? 0];
    return ofRows === ofSums ? [] : [`${name} ${value}: rows of ${ofRows}, a sum of ${ofSums} nano-dollars`];
  });
}

interface Total {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly costUsd: string;
}

/** Nano-dollars by the value of a tag; "" for none. */
export async function costsBy({ api, id }: TestOrganization, name: string): Promise<readonly [string, number][]> {
  const month = 31 * 86_400_000;
  const range = { from: new Date(Date.now() - month).toISOString(), to: new Date(Date.now() + month).toISOString() };
  const request = { organizationId: id, groupByMetadata: [name], pageSize: 1000, ...range };
  const { totals = [] } = (await api.call('Usage/Totals', request)) as { readonly totals?: readonly Total[] };
  return totals.map(({ metadata, costUsd }) => [metadata?.[name] ?? '', nanoOfUsd(costUsd) ?? Number.NaN]);
}
