// The names of organizations in a scrape: a silent or failing database delays no scrape and takes no name away.
import { expect, it } from 'vitest';
import {
  createOrganizationNames,
  type OrganizationNames,
} from '../../../control-plane/telemetry/organization-names.ts';

const acme = [{ id: '1', name: 'acme' }];
const renamed = [{ id: '1', name: 'ACME' }];

/** A store whose next read ends as the test decides. */
function scriptedStore() {
  const reads: PromiseWithResolvers<OrganizationNames>[] = [];
  const snapshot = () => {
    const read = Promise.withResolvers<OrganizationNames>();
    reads.push(read);
    return read.promise as Promise<never>;
  };
  return { reads, snapshot };
}

it('names are those of the database, and the known ones while it is silent or fails', async () => {
  const { reads, snapshot } = scriptedStore();
  const names = createOrganizationNames({ snapshot });
  const first = names();
  reads[0]?.resolve(acme);
  expect(await first).toEqual(acme);
  const whileSilent = names();
  const alsoSilent = names();
  expect(await whileSilent).toEqual(acme);
  expect(await alsoSilent).toEqual(acme);
  // One read at a time.
  expect(reads).toHaveLength(2);
  reads[1]?.reject(new Error('the database is away'));
  await Promise.resolve();
  const afterwards = names();
  reads[2]?.resolve(renamed);
  expect(await afterwards).toEqual(renamed);
});
