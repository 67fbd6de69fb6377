// Text of a provider, which may hold anything. Whatever repeats a key that was sent whole goes no further: neither to the caller nor into
// a log.
import { holdsCredential } from '../../common/credential.ts';
import type { Credential } from '../providers/credentials/credential.ts';

export function withoutKey(text: string, credential: Credential): string {
  return keysOf(credential).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

export function holdsKey(text: string, credential: Credential): boolean {
  return keysOf(credential).some((key) => text.includes(key));
}

function keysOf(credential: Credential): readonly string[] {
  return Object.values(credential).flatMap((secret) => secret?.reveal() ?? []);
}

const lengthMax = 256;

/**
 * The model that a provider says has responded, as it may be recorded: printable, of at most 256 characters, without a credential.
 * @returns undefined for what is not
 */
export function responseModel(reported: string | undefined, credential: Credential): string | undefined {
  if (reported === undefined || !/^[ -~]+$/.test(reported.slice(0, lengthMax))) return undefined;
  // Judged whole: what is cut could be the half of a key.
  return holdsCredential(reported) || holdsKey(reported, credential)
    ? undefined
    : reported.slice(0, lengthMax);
}
