// Finds a key that a caller sent as a credential and, by mistake, repeated in another field: the model, the request id
// or the path. A text that repeats the whole key is neither logged, stored nor sent back. Only header values are known
// here, so parts of a key are not found.
import { withoutKeyForms } from '../../common/key-forms.ts';
import { type CredentialHeaders, credentialHeaders } from './credentials.ts';

const keyHeaders = [...credentialHeaders, ...['cloud-access-key-id', 'cloud-secret-access-key', 'cloud-session-token']];
/** No vendor's key is shorter. A shorter value is a dummy word, which may well be part of a model's name. */
const keyLengthMin = 8;

/**
 * @param isUsed the caller's own key is the provider's credential, so any value counts as a key; otherwise only a value
 * that looks like a key
 */
export function repeatsKey(text: string, headers: CredentialHeaders, isUsed: boolean): boolean {
  return repeatedKeys(text, headers, isUsed).length > 0;
}

export function withoutRepeatedKeys(text: string, headers: CredentialHeaders, isUsed: boolean): string {
  return repeatedKeys(text, headers, isUsed).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

function repeatedKeys(text: string, headers: CredentialHeaders, isUsed: boolean): readonly string[] {
  if (text.length < keyLengthMin) return [];
  return keyHeaders.flatMap((name) => {
    const value = valueIn(headers.get(name) ?? '');
    // Checking what the value looks like costs more, and almost no request repeats anything.
    if (value.length < keyLengthMin || !text.includes(value)) return [];
    return isUsed || withoutKeyForms(value) !== value ? [value] : [];
  });
}

function valueIn(sent: string): string {
  return sent.length > schemeLength && /^bearer +/i.test(sent) ? sent.slice(schemeLength).trimStart() : sent;
}

const schemeLength = 'bearer '.length;
