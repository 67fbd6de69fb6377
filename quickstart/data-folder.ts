// The data that `npm start` keeps between starts: the database, and the secrets that connect the planes, each in a file
// that only its owner may read.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type SecretFile = 'master-key' | 'cache-key' | 'record-key' | 'operator-token' | 'proxy-token';

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly log: string;
  read(name: SecretFile): string | undefined;
  write(name: SecretFile, value: string): void;
}

/** Creates the folder if it is missing. @throws Error that names the setting for another folder */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(`the data folder ${folder} cannot be written; GATEWAY_DATA_DIR=<folder> moves it`, {
      cause,
    });
  }
  const file = (name: string) => join(folder, name);
  return {
    path: folder,
    database: file('gateway.db'),
    log: file('gateway.log'),
    read: (name) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim() : undefined),
    write: (name, value) => {
      writeFileSync(file(name), `${value}\n`, { mode: 0o600 });
      // The mode above applies only to new files.
      chmodSync(file(name), 0o600);
    },
  };
}
