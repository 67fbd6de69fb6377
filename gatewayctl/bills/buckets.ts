// Reports of the vendors' APIs: pages of buckets, each with the results of one UTC day.
import type { JsonObject } from '../../common/json.ts';
import type { BillLine } from './bill.ts';
import { objects } from './fields.ts';
import { broken, pages, type VendorApi } from './vendor-api.ts';

export interface Report {
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  /** The day of a bucket; undefined if the bucket is not a day. */
  dayOf(bucket: JsonObject): string | undefined;
  lineOf(api: VendorApi, day: string, result: JsonObject): BillLine;
}

/** @throws Failure */
export async function* bucketLines(api: VendorApi, { path, query, dayOf, lineOf }: Report): AsyncGenerator<BillLine> {
  const seen = new Set<string>();
  for await (const page of pages(api, path, query)) {
    for (const bucket of objects(api, page.data, 'data')) {
      const day = dayOf(bucket);
      if (day === undefined) throw broken(api, 'has a bucket that is no day');
      // A repeated page would count twice.
      if (seen.has(day)) throw broken(api, `has the day ${day} twice`);
      seen.add(day);
      for (const result of objects(api, bucket.results, 'results')) yield lineOf(api, day, result);
    }
  }
}
