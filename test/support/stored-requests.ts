// Rows of requests, written directly to the database: for tests of what operators see.
import { randomUUID } from 'node:crypto';
import { uuidTime, uuidv7 } from '../../common/uuid.ts';
import type { StoreDatabase } from './databases.ts';

/** A request of a key of the person. @returns the id of its row */
export async function writeRequest(
  database: StoreDatabase,
  { organizationId, personId }: { readonly organizationId: string; readonly personId: string },
): Promise<string> {
  const id = uuidv7();
  const values = [organizationId, id, randomUUID(), personId, id].map((value) => `'${value}'`);
  await database.raw(
    `insert into requests (at, organization_id, id, key_id, person_id, request_id, result, error_code, provider, model, route,
       decided_by, source, facts)
     values (${uuidTime(id)}, ${values.join(', ')}, 'ok', '', '', '', '', '', '{}', '{}')`,
  );
  return id;
}
