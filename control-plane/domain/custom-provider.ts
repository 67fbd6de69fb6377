// Custom providers: their names, their wire formats, and how their keys are sent. Problems never repeat the submitted
// text, because it may be a key in the wrong field.
import { containsCredential } from '../../common/credential.ts';
import { isVendorName, meansVendor, type VendorName, vendors } from '../../common/vendors.ts';
import { type KeyForm, keyForms, type WireFormat, wireFormats } from '../../proto/words/access.ts';
import { wordOf } from './enum-names.ts';
import { each, type Field, invalid, problemsAt, valid } from './field.ts';

/** The fields of a provider on which its stored keys depend. */
export interface KeyRules {
  readonly wire_format: WireFormat;
  readonly key_form: KeyForm;
}

// The name is used as a path segment, and before the first slash of a model id.
const nameForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Metrics use the first two in place of a provider's name, and routes of the gateway and of vendors' SDKs the others. */
const reservedWords: ReadonlySet<string> = new Set([
  'none',
  'other',
  'deployments',
  'models',
  'messages',
  'responses',
  'conversations',
  'embeddings',
  'route',
  'shadow',
]);

export function customProviderName(text: string): Field<string> {
  if (!nameForm.test(text) || containsCredential(text)) {
    return invalid('must be 1 to 63 of a-z 0-9 -, beginning and ending with a letter or digit');
  }
  return isReservedName(text) ? invalid('is reserved: the gateway itself uses this name') : valid(text);
}

/** Whether vendors, routes of the gateway or metrics use the name. */
export function isReservedName(text: string): boolean {
  return meansVendor(text) || reservedWords.has(text);
}

export const wireFormat = wordOf(wireFormats);
export const keyForm = wordOf(keyForms);

const headerForm = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Headers of the connection, the body, the caller and the gateway. A key in one of them would change the request. */
const notForKeys =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|date|expect|via|forwarded|user-agent|cookie|set-cookie|x-request-id|project-api-key)$|^(proxy|content|accept|sec|x-forwarded|x-svc|cloud|access-control)-|^accept$/;

/**
 * The header that holds the key; null for key forms without one.
 * @param form the contract's name of the form; undefined if the request has none
 */
export function keyHeader(form: string | undefined, header: string | undefined): Field<string | null> {
  if (form !== keyForms.names.header) {
    return header === undefined || header === ''
      ? valid(null)
      : invalid(`goes with key_form ${keyForms.names.header} only`);
  }
  const name = header?.toLowerCase() ?? '';
  return headerForm.test(name) && !notForKeys.test(name) && !containsCredential(name)
    ? valid(name)
    : invalid(
        'must be the name of a header for keys, such as x-api-key; it cannot be one that HTTP or the gateway uses',
      );
}

const passedFieldsMax = 64;
const fieldForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** The names without repetitions. */
export function passedFields(list: { readonly fields: readonly string[] }): Field<readonly string[]> {
  if (list.fields.length > passedFieldsMax) return invalid(`must contain at most ${passedFieldsMax} names`, '.fields');
  const read = each(passedField, list.fields);
  return 'problems' in read ? { problems: problemsAt('.fields', read) } : valid([...new Set(read.value)]);
}

function passedField(name: string): Field<string> {
  return name === '*' || (fieldForm.test(name) && !containsCredential(name))
    ? valid(name)
    : invalid('must be the name of a field, 1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter or _; or * for all');
}

/**
 * The shipped provider whose secrets have the form of this provider's keys; undefined if the provider takes no keys.
 */
export function secretsLike({ wire_format, key_form }: KeyRules): VendorName | undefined {
  if (key_form === 'none') return undefined;
  if (!isVendorName(wire_format) || key_form !== 'wire_format') return 'gpt-provider';
  return vendors[wire_format].secret === 'api key or access keys' ? wire_format : 'gpt-provider';
}
