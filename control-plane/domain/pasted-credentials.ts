// Keys and tokens of the gateway in what operators write: whatever a change says is stored and audited, so none is taken in any field but
// those that are secrets. A field's own reader may be stricter; this is for all that have none, and for fields to come. Pure.
import { holdsCredentialValue } from '../../common/credential.ts';
import { noCredential } from './shared-fields.ts';

/** Sealed, and never shown again; its readers say what is wrong with it. */
const secretField = 'secret';

export interface PastedCredential {
  /** In the contract's names, such as "check.words.phrases[2]". */
  readonly field: string;
  readonly description: string;
}

/** @param request as the contract's library decodes it: fields in camel case */
export function pastedCredentials(request: unknown): readonly PastedCredential[] {
  const found: PastedCredential[] = [];
  const look = (value: unknown, field: string) => {
    if (typeof value === 'string') {
      if (holdsCredentialValue(value)) found.push({ field, description: noCredential });
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) look(one, `${field}[${index}]`);
    } else if (isMessage(value)) lookIn(value, field);
  };
  const lookIn = (message: object, path: string) => {
    for (const [name, value] of Object.entries(message)) {
      // A map has its caller's words for names.
      if (holdsCredentialValue(name)) found.push({ field: path, description: noCredential });
      else if (name !== secretField)
        look(value, path === '' ? inContract(name) : `${path}.${inContract(name)}`);
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
