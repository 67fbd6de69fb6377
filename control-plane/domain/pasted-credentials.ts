// Finds the gateway's keys and tokens in a request. Every change is stored and audited, so only secret fields may
// contain one. A field's own reader may be stricter; this check covers fields without a reader, and future fields.
// Pure.
import { containsCredentialValue } from '../../common/credential.ts';
import { noCredential } from './shared-fields.ts';

/** Secret fields are sealed and never shown again; their readers report their problems. */
const secretField = 'secret';

export interface PastedCredential {
  /** The contract's name of the field, such as "check.words.phrases[2]". */
  readonly field: string;
  readonly description: string;
}

/** @param request as the contract's library decodes it, with fields in camel case */
export function pastedCredentials(request: unknown): readonly PastedCredential[] {
  const found: PastedCredential[] = [];
  const look = (value: unknown, field: string) => {
    if (typeof value === 'string') {
      if (containsCredentialValue(value)) found.push({ field, description: noCredential });
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) look(one, `${field}[${index}]`);
    } else if (isMessage(value)) lookIn(value, field);
  };
  const lookIn = (message: object, path: string) => {
    for (const [name, value] of Object.entries(message)) {
      // The names of a map's entries are the caller's text too.
      if (containsCredentialValue(name)) found.push({ field: path, description: noCredential });
      else if (name !== secretField) look(value, path === '' ? inContract(name) : `${path}.${inContract(name)}`);
    }
  };
  look(request, '');
  return found;
}

function isMessage(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function inContract(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
