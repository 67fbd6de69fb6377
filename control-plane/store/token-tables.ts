// The tables of tokens, by their hashes alone: a part of schema.ts. migrations.ts makes them.
export interface OperatorTokensTable {
  id: string;
  person_id: string;
  hash: string;
  name: string;
  hint: string;
  created_at: number;
  ends_at: number;
  revoked_at: number | null;
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
