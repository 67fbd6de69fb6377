// The tables of tokens, which store hashes only: a part of schema.ts. migrations.ts creates them.
export interface OperatorTokensTable {
  id: string;
  person_id: string;
  hash: string;
  name: string;
  hint: string;
  created_at: number;
  ends_at: number;
  revoked_at: number | null;
  /** The trust row of a service account by which it was issued. */
  trust_id: string | null;
  /** The session of the console with which it ends; null: none. */
  session_id: string | null;
}

export interface ProxyTokensTable {
  id: string;
  hash: string;
  name: string;
  hint: string;
  organization_id: string | null;
  created_at: number;
  revoked_at: number | null;
}
