// A provider that is configuration: the functions of the wire format it speaks, under a name and URL of its own. How its key
// is sent is a matter of headers alone, so it is put into the request that the wire format has built, and no format knows.
import { Secret } from '../../common/secret.ts';
import type { CustomProvider, KeyForm } from '../access/principal.ts';
import { passesToCustom } from '../formats/chat-completions/passed-fields.ts';
import type { Provider, ProviderCall, UpstreamRequest } from './provider.ts';

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
    ...(keyForm === 'none' && { keylessId: id }),
    buildRequest: (call) => {
      const key = keyForm === 'none' ? noKey : call.target.credential.apiKey;
      const built = base.buildRequest(withKey(call, key));
      return built instanceof Promise
        ? built.then((request) => sendKey(request, keyForm, key))
        : sendKey(built, keyForm, key);
    },
  };
}

/** What stands behind a URL of an operator's is not known here. */
const streamStops: Provider['streamStops'] = { value: false, source: 'none', asOf: undefined };

/** Stands in for the key that a wire format asks for, and is taken out of the request again. */
const noKey = new Secret('none');

function withKey(call: ProviderCall, apiKey: Secret | undefined): ProviderCall {
  return { ...call, target: { ...call.target, credential: { apiKey } } };
}

/** The headers in which wire formats send an API key. */
const keyHeaders = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']);

function sendKey(
  request: UpstreamRequest,
  keyForm: Exclude<KeyForm, 'wire_format'>,
  key: Secret | undefined,
): UpstreamRequest {
  const named = typeof keyForm === 'object' ? keyForm.header : undefined;
  const headers: string[] = [];
  for (let i = 0; i + 1 < request.headers.length; i += 2) {
    const [header = '', value = ''] = request.headers.slice(i, i + 2);
    const name = header.toLowerCase();
    if (!keyHeaders.has(name) && name !== named) headers.push(header, value);
  }
  if (key === undefined || keyForm === 'none') return { ...request, headers };
  if (named === undefined) headers.push('authorization', `Bearer ${key.reveal()}`);
  else headers.push(named, key.reveal());
  return { ...request, headers };
}
