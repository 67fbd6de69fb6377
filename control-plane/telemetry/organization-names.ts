// The names of organizations for a metric, read at each scrape: a silent database delays no scrape, and leaves the names
// that are known.
import type { Store } from '../store/store.ts';

/** The oldest ones. */
const organizationsMax = 1_000;
const waitMs = 500;

export type OrganizationNames = readonly { readonly id: string; readonly name: string }[];

/** @returns a function that reads them, and after half a second returns those that were read last */
export function createOrganizationNames(store: Pick<Store, 'snapshot'>): () => Promise<OrganizationNames> {
  let known: OrganizationNames = [];
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      known = await store.snapshot((db) =>
        db.selectFrom('organizations').select(['id', 'name']).orderBy('id').limit(organizationsMax).execute(),
      );
    } catch {
      // Readiness and calls report that the database is away.
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    reading ??= read();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([reading, late]);
    clearTimeout(timer);
    return known;
  };
}
