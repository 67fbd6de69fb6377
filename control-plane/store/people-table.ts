// The table of people: a part of schema.ts.
import type { Generated } from 'kysely';
import type { Role } from '../../proto/words/access.ts';

export interface PeopleTable {
  id: string;
  /** Null for platform operators. */
  organization_id: string | null;
  name: string;
  email: string | null;
  role: Role;
  /** No claim of an issuer changes it. */
  role_by_hand: Generated<0 | 1>;
  /** A machine is a service account: it has no e-mail and no session of the console. */
  kind: Generated<PersonKind>;
  active: 0 | 1;
  /** The issuer whose provisioning made the person inactive; null: a person did, or the person is active. */
  deactivated_by: string | null;
  allowed_models: string;
  created_at: number;
  revision: number;
}

export type PersonKind = 'human' | 'service';
