// Callers put a key that they send as a credential into another field as well, by mistake: into the model, the request id, the path. What
// repeats it whole is neither logged, stored nor sent back. Only header values are known here, so nothing else of a key is looked for.
import { withoutKeyForms } from '../../common/key-forms.ts';
import { type CredentialHeaders, credentialHeaders } from './credentials.ts';

const keyHeaders = [
  ...credentialHeaders,
  ...['cloud-access-key-id', 'cloud-secret-access-key', 'cloud-session-token'],
];
/** No vendor's key is shorter: what is shorter is a word that stands in for one, and may well be in a model's name. */
const keyLengthMin = 8;

/**
 * @param isUsed the caller's own key is the provider's credential, so whatever it looks like it is one; else only what looks like a key is
 */
export function repeatsKey(text: string, headers: CredentialHeaders, isUsed: boolean): boolean {
  return repeatedKeys(text, headers, isUsed).length > 0;
}

export function withoutRepeatedKeys(text: string, headers: CredentialHeaders, isUsed: boolean): string {
  return repeatedKeys(text, headers, isUsed).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

function repeatedKeys(text: string, headers: CredentialHeaders, isUsed: boolean): readonly string[] {
  return keyHeaders.flatMap((name) => {
    const value = valueIn(headers.get(name) ?? '');
    // What it looks like costs more to find out, and nearly nobody repeats anything.
    if (value.length < keyLengthMin || !text.includes(value)) return [];
    return isUsed || withoutKeyForms(value) !== value ? [value] : [];
  });
}

function valueIn(sent: string): string {
  return sent.length > schemeLength && /^bearer +/i.test(sent) ? sent.slice(schemeLength).trimStart() : sent;
}

const schemeLength = 'bearer '.length;
