// The operating system's keyring, by @napi-rs/keyring where it is installed beside the program; it is no dependency.
// Without it, tokens are in the configuration file.
import { isObject } from '../common/json.ts';

export interface Keyring {
  /** @returns whether it is stored */
  store(account: string, secret: string): boolean;
  read(account: string): string | undefined;
  remove(account: string): void;
}

interface Entry {
  setPassword(secret: string): void;
  getPassword(): string | null;
  deletePassword(): unknown;
}

type EntryConstructor = new (service: string, account: string) => Entry;

const service = 'model-gateway';
const packageName: string = '@napi-rs/keyring';

/** @param load the package. @returns undefined where there is none */
export async function openKeyring(
  load: () => Promise<unknown> = () => import(packageName),
): Promise<Keyring | undefined> {
  const loaded = await load().catch(() => undefined);
  const Entry = isObject(loaded) && isEntry(loaded.Entry) ? loaded.Entry : undefined;
  if (Entry === undefined) return undefined;
  return {
    // A session without a keyring, such as one over SSH, makes each call fail.
    store: (account, secret) =>
      attempt(() => {
        new Entry(service, account).setPassword(secret);
        return true;
      }) ?? false,
    read: (account) => attempt(() => new Entry(service, account).getPassword()) ?? undefined,
    remove: (account) => void attempt(() => new Entry(service, account).deletePassword()),
  };
}

function isEntry(value: unknown): value is EntryConstructor {
  return typeof value === 'function';
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
