// Reads all pages of a list of the contract, up to a number of items.
import { isObject, type JsonObject } from '../common/json.ts';
import { fieldsOf, methodTypes } from '../proto/json/contract.ts';
import type { Client, MethodName } from './client.ts';

const pageSizeMax = 500;

export interface Pages {
  /** Name of the list field in the response. */
  readonly field: string;
  readonly items: readonly JsonObject[];
  /** Token of the next page; empty at the end. */
  readonly nextPageToken: string;
  /** The models that the request's selector selects, if it had one. */
  readonly match?: unknown;
}

/** @throws CallFailure */
export async function readPages(client: Client, method: MethodName, request: object, itemsMax: number): Promise<Pages> {
  const field = listField(method);
  const items: JsonObject[] = [];
  let pageToken = '';
  let match: unknown;
  do {
    const pageSize = Math.min(pageSizeMax, itemsMax - items.length);
    const response = await client.ask(method, { ...request, pageSize, ...(pageToken && { pageToken }) });
    const page: JsonObject = { ...response };
    if (Array.isArray(page[field])) items.push(...page[field].filter(isObject));
    match ??= page.match;
    pageToken = String(page.nextPageToken ?? '');
  } while (pageToken !== '' && items.length < itemsMax);
  return { field, items, nextPageToken: pageToken, ...(isObject(match) && { match }) };
}

export function isList(method: MethodName): boolean {
  return Object.hasOwn(fieldsOf(methodTypes(method).responseType), 'nextPageToken');
}

/** Whether a method changes or sends something; the contract names methods that only read by these words. */
export function isChange(method: MethodName): boolean {
  // The audit log has each opening of captured content.
  return method === 'Captures.Get' || !/\.(?:Get|List|Totals|Verify|Explain|Forecast|Series|Tail)/.test(method);
}

/** The only repeated field of a list response. */
export function listField(method: MethodName): string {
  const fields = Object.entries(fieldsOf(methodTypes(method).responseType));
  const [name] = fields.find(([, { rule }]) => rule === 'repeated') ?? [];
  if (name === undefined) throw new Error(`${method} returns no list`);
  return name;
}
