// A database with the empty tables of this version, which tests copy.
import { systemClock } from '../../common/clock.ts';
import { openStore } from '../../control-plane/store/open.ts';
import { createDatabaseOn, type TestDatabase } from './postgres.ts';
import { silentLog } from './silent-log.ts';

/** @param server URL, as a user who may create databases */
export async function createTemplate(server: string): Promise<TestDatabase> {
  const database = await createDatabaseOn(server);
  const store = await openStore({ url: database.url, log: silentLog, clock: systemClock });
  await store.close();
  return database;
}
