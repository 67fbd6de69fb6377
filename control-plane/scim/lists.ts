// Pages of SCIM lists: `startIndex` counts from 1, `count` may be 0.
import type { JsonObject } from '../../common/json.ts';
import { invalidValue } from './error.ts';
import { projected } from './resource.ts';

/** What a representation needs besides its row. */
export interface View {
  /** URL of /scim/v2, without a slash at its end. */
  readonly base: string;
  readonly query: URLSearchParams;
}

export interface ListPage {
  readonly startIndex: number;
  readonly count: number;
}

/** @throws ScimError */
export function readPage(query: URLSearchParams, countMax: number): ListPage {
  const [startIndex = 1, count = countMax] = ['startIndex', 'count'].map((name) => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`${name} must be a whole number`);
    return Number(text);
  });
  return { startIndex: Math.max(1, startIndex), count: Math.min(countMax, Math.max(0, count)) };
}

export interface Resource {
  readonly etag: string;
  readonly location: string;
  readonly body: JsonObject;
}

export function listResponse(total: number, { startIndex }: ListPage, resources: readonly Resource[], view: View) {
  const shown = resources.map(({ body }) => projected(body, view.query));
  return listOf(shown, { total, startIndex });
}

/** The body of a response with a list. */
export function listOf(
  shown: readonly object[],
  { total, startIndex }: { readonly total: number; readonly startIndex: number },
): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...{ totalResults: total, startIndex, itemsPerPage: shown.length },
    Resources: shown,
  };
}

/** `meta` of a resource, and its tag: a weak one, because members may be shown in another order. */
export function metaOf(
  type: 'User' | 'Group',
  row: { readonly id: string; readonly created_at: number; readonly modified_at: number },
  { version, base }: { readonly version: string; readonly base: string },
) {
  const location = `${base}/${type}s/${row.id}`;
  const etag = `W/"${version}"`;
  const [created, lastModified] = [row.created_at, row.modified_at].map((at) => new Date(at).toISOString());
  return { location, etag, meta: { resourceType: type, created, lastModified, location, version: etag } };
}
