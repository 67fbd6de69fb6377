// Text of a provider, which can contain anything. Text that repeats the whole key that was sent is neither returned to
// the caller nor logged.
import { containsCredential } from '../../common/credential.ts';
import type { Credential } from '../providers/credentials/credential.ts';

export function withoutKey(text: string, credential: Credential): string {
  return keysOf(credential).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

export function containsKey(text: string, credential: Credential): boolean {
  return keysOf(credential).some((key) => text.includes(key));
}

function keysOf(credential: Credential): readonly string[] {
  return Object.values(credential).flatMap((secret) => secret?.reveal() ?? []);
}

/**
 * Ids of the account that a stored key belongs to, as vendors write them into errors: OpenAI's `organization org-…` and
 * `proj_…`, Anthropic's `organization (<UUID>)` and `org: <UUID>`, Google's `project_number:…` and `projects/…`, and the
 * account of an ARN.
 */
const accountIds =
  /\b(?:org-|proj_)[A-Za-z0-9]{16,}|(?<=\borganization \(|\borg: )[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\bproject_number:|\bprojects\/|\bproject )\d{6,}|(?<=\barn:aws[a-z-]{0,10}:[a-z0-9-]{1,32}:[a-z0-9-]{0,32}:)\d{12}/g;

/** Callers with the organization's key learn nothing of its account. Linear in the length of the text. */
export function withoutAccountIds(text: string): string {
  return text.replace(accountIds, '[account]');
}

const lengthMax = 256;

/**
 * The model that responded according to the provider, in a form that may be recorded: printable, of at most 256
 * characters, without a credential.
 * @returns undefined if the text has another form
 */
export function responseModel(reported: string | undefined, credential: Credential): string | undefined {
  if (reported === undefined || !/^[ -~]+$/.test(reported.slice(0, lengthMax))) return undefined;
  // The whole text is checked, because a cut text could end in half of a key.
  return containsCredential(reported) || containsKey(reported, credential) ? undefined : reported.slice(0, lengthMax);
}
