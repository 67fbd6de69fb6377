// The virtual key of a command that calls the proxy. It comes from the environment or a file, because others can read
// command lines.
import { existsSync } from 'node:fs';
import { containsCredential, isWellFormedCredential } from '../common/credential.ts';
import { Secret } from '../common/secret.ts';
import { usageMistake } from './failure.ts';
import { type Io, readGiven } from './io.ts';

/** Refuses any other text, so that a vendor's key or a token of an operator is not sent by mistake. @throws Failure */
export function virtualKeyFrom(text: string | undefined, where: string): Secret {
  const key = text?.trim() ?? '';
  if (isWellFormedCredential('virtualKey', key)) return new Secret(key);
  const why = key === '' ? `there is no virtual key in ${where}` : `${where} does not contain a virtual key`;
  throw usageMistake(`${why}; it is sk-svc-… with 49 further characters, and keys create prints one`);
}

/** @param where a file, "-" for standard input, or "env:NAME"; the name alone if there is no such file. @throws Failure */
export async function virtualKeyAt(where: string, io: Io): Promise<Secret> {
  if (containsCredential(where))
    throw usageMistake('a key on the command line can be read by others; give a file, or env:NAME for a variable');
  const name = where.startsWith('env:') ? where.slice('env:'.length) : where;
  const isVariable = name !== where || (/^[A-Z_][A-Z0-9_]*$/.test(where) && !existsSync(where));
  return virtualKeyFrom(isVariable ? io.env[name] : await readGiven(where, io), name);
}
