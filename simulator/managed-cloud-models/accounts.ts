// The simulated accounts, which sign requests that the vendor would accept or refuse. They are no real credentials: the
// ids have the vendor's form with SIM in it.

export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Temporary credentials have it, and are refused without it. */
  readonly sessionToken?: string;
  readonly expired?: boolean;
  /** Known, but without any permission. */
  readonly denied?: boolean;
}

export const accounts = {
  permanent: {
    accessKeyId: 'AKIASIM0PERMANENT000',
    secretAccessKey: 'simulated/secret+of/the/permanent/account',
  },
  temporary: {
    accessKeyId: 'ASIASIM0TEMPORARY000',
    secretAccessKey: 'simulated/secret+of/the/temporary/account',
    sessionToken: 'simulated/session+token/of/the/temporary/account==',
  },
  expired: {
    accessKeyId: 'ASIASIM0EXPIRED00000',
    secretAccessKey: 'simulated/secret+of/the/expired/account',
    sessionToken: 'simulated/session+token/of/the/expired/account==',
    expired: true,
  },
  denied: {
    accessKeyId: 'AKIASIM0DENIED000000',
    secretAccessKey: 'simulated/secret+of/the/denied/account',
    denied: true,
  },
} as const satisfies Record<string, Account>;

export function findAccount(accessKeyId: string): Account | undefined {
  return Object.values(accounts).find((account) => account.accessKeyId === accessKeyId);
}
