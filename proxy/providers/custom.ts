// A provider from configuration: the format of a shipped provider, with its own name and URL. Its key is sent by one of
// the credential schemes, independently of the format.
import type { CustomProvider, KeyForm } from '../access/principal.ts';
import { passesToCustom } from '../formats/chat-completions/passed-fields.ts';
import { bearer, keyInHeader, noCredential } from './credentials/api-key.ts';
import type { Authorize } from './credentials/credential.ts';
import type { Provider } from './provider.ts';

/** @param base the provider with the same wire format */
export function customProvider(base: Provider, configured: CustomProvider): Provider {
  const { id, name, baseUrl, keyForm, passedFields } = configured;
  const { native, nativePasses, ...translating } = base;
  const own = {
    ...{ ...translating, name, aliases: [], defaultBaseUrl: baseUrl, streamStops, madeOf: configured },
    // A server with the vendor's format need not have its counter.
    counter: undefined,
    ...(base.passesField !== undefined && { passesField: passesToCustom(passedFields ?? []) }),
    // A body that passes as it came could name other models, hosts or keys behind an operator's URL.
    ...(native !== undefined &&
      nativePasses !== undefined && { native, passesField: nativePasses(passedFields ?? []) }),
  };
  if (keyForm === 'wire_format') return own;
  return {
    ...own,
    routeCredential: 'bearer',
    authorize: schemeOf(keyForm),
    ...(keyForm === 'none' && { keylessId: id }),
  };
}

/** Nothing is known about the server behind an operator's URL. */
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
