// A provider may repeat the key it was sent in its errors or headers. Whoever owns it, what repeats it whole goes no further:
// neither to the caller nor into a log.
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
