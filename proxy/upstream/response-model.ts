// The model that a provider says it answered with, as far as it can be recorded: a provider may say anything.
import { holdsCredential } from '../../common/credential.ts';
import type { Credential } from '../providers/credentials/credential.ts';
import { holdsKey } from './key-echo.ts';

const lengthMax = 256;

/** Printable, of at most 256 characters, and without a credential; undefined for what is not. */
export function answeredModel(told: string | undefined, credential: Credential): string | undefined {
  if (told === undefined || !/^[ -~]+$/.test(told.slice(0, lengthMax))) return undefined;
  // Judged whole: what is cut could be the half of a key.
  return holdsCredential(told) || holdsKey(told, credential) ? undefined : told.slice(0, lengthMax);
}
