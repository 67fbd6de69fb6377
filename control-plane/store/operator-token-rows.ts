// Rows of operator tokens. A value is shown once; only its hash is stored.
import type { Kysely, Selectable } from 'kysely';
import { createCredential, credentialHint, hashCredential } from '../../common/credential.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { Schema } from './schema.ts';

export type OperatorTokenRow = Selectable<Schema['operator_tokens']>;

export interface NewOperatorToken {
  readonly personId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** The session of the console with which it ends. */
  readonly sessionId?: string;
  /** The trust row of a service account with which it ends. */
  readonly trustId?: string;
}

/** @returns the row, and the value to be shown once */
export async function issueOperatorToken(
  { db, now }: { readonly db: Kysely<Schema>; readonly now: number },
  { personId, name, endsAt, sessionId, trustId }: NewOperatorToken,
): Promise<{ readonly row: OperatorTokenRow; readonly value: string }> {
  const value = createCredential('operator');
  const row: OperatorTokenRow = {
    id: uuidv7(now),
    person_id: personId,
    hash: hashCredential(value),
    name,
    hint: credentialHint(value),
    created_at: now,
    ends_at: endsAt,
    revoked_at: null,
    session_id: sessionId ?? null,
    trust_id: trustId ?? null,
  };
  await db.insertInto('operator_tokens').values(row).execute();
  return { row, value };
}
