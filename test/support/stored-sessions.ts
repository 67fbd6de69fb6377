// Sessions of the console, written directly to the database: for tests of what operators see.
import { randomBytes } from 'node:crypto';
import { hourMs } from '../../common/durations.ts';
import { uuidTime, uuidv7 } from '../../common/uuid.ts';
import type { StoreDatabase } from './databases.ts';

/** An open session of the person, whose cookie nobody has. @returns its id */
export async function writeSession(database: StoreDatabase, personId: string): Promise<string> {
  const id = uuidv7();
  const at = uuidTime(id);
  const ends = at + hourMs;
  await database.raw(
    `insert into console_sessions (id, person_id, method, hash, rotated_at, created_at, authenticated_at, seen_at,
       idle_ends_at, ends_at, address, user_agent)
     values ('${id}', '${personId}', 'link', '${randomBytes(32).toString('hex')}', ${at}, ${at}, ${at}, ${at}, ${ends}, ${ends}, '', '')`,
  );
  return id;
}

/** An identity of the person at an issuer. @returns its id */
export async function writeIdentity(
  database: StoreDatabase,
  { issuerId, personId }: { readonly issuerId: string; readonly personId: string },
): Promise<string> {
  const id = uuidv7();
  await database.raw(
    `insert into identities (id, issuer_id, subject, person_id, created_at)
     values ('${id}', '${issuerId}', '${id}', '${personId}', ${uuidTime(id)})`,
  );
  return id;
}
