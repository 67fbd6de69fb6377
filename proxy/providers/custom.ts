// A provider that is configuration: the format of a shipped provider, under a name and URL of its own. How its key is sent is one of
// the credential schemes, so no format knows of it.
import type { CustomProvider, KeyForm } from '../access/principal.ts';
import { passesToCustom } from '../formats/chat-completions/passed-fields.ts';
import { bearer, keyInHeader, noCredential } from './credentials/api-key.ts';
import type { Authorize } from './credentials/credential.ts';
import type { Provider } from './provider.ts';

/** @param base the shipped provider whose wire format it speaks */
export function customProvider(base: Provider, configured: CustomProvider): Provider {
  const { id, name, baseUrl, keyForm, passedFields } = configured;
  const own = {
    ...{ ...base, name, aliases: [], defaultBaseUrl: baseUrl, streamStops, madeOf: configured },
    ...(base.passesField !== undefined && { passesField: passesToCustom(passedFields ?? []) }),
  };
  if (keyForm === 'wire_format') return own;
  return {
    ...own,
    routeCredential: 'bearer',
    authorize: schemeOf(keyForm),
    ...(keyForm === 'none' && { keylessId: id }),
  };
}

/** Nothing is known of the server behind a URL of an operator's. */
const streamStops: Provider['streamStops'] = { value: false, source: 'none', asOf: undefined };

function schemeOf(keyForm: Exclude<KeyForm, 'wire_format'>): Authorize {
  switch (keyForm) {
    case 'bearer':
      return bearer;
    case 'none':
      return noCredential;
    default:
      return keyInHeader(keyForm.header);
  }
}
