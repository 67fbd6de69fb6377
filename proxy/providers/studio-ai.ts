// The hosted model studio: GPT models and those of other makers, in four dialects of chat completions, selected by the
// base URL.
// Source: the vendor's REST references and definitions of the inference API.
import { vendorIdentity } from '../../common/vendors.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import { dialectOf, endpointOf } from '../formats/chat-completions/studio/dialects.ts';
import { studioChatCompletions } from '../formats/chat-completions/studio/index.ts';
import { apiKeyOf, type CredentialTarget, type UpstreamRequest } from './credentials/credential.ts';
import type { Provider } from './provider.ts';

export const studioAi: Provider = {
  ...vendorIdentity('studio-ai'),
  routeCredential: 'bearer',
  authorize: studioKey,
  format: studioChatCompletions,
  path: ({ target, model, capabilities }) => endpointOf(target, model, capabilities).path,
  counter: undefined,
  fetchesImages: false,
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};

function studioKey({ headers }: UpstreamRequest, target: CredentialTarget): string[] {
  const key = apiKeyOf(target);
  const asBearer = ['authorization', `Bearer ${key}`];
  if (dialectOf(target.baseUrl).keyHeader === 'authorization' || isToken(key)) return [...asBearer, ...headers];
  // The caller's own key came as a bearer token, but not every dialect accepts a plain key that way. Like the vendor's
  // SDK, send both.
  const isOwn = target.providerKeyId === undefined;
  return ['api-key', key, ...(isOwn ? asBearer : []), ...headers];
}

/** A token of the directory begins with JSON in base64url. */
function isToken(key: string): boolean {
  return key.startsWith('eyJ');
}
