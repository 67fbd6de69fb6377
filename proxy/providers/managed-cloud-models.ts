// The managed cloud model service: one API for models of many makers (Converse, ConverseStream), requests signed with a
// cloud account's access keys or sent with an API key.
import { vendorIdentity } from '../../common/vendors.ts';
import { forChatClients } from '../formats/chat-completions/translated.ts';
import { converse } from '../formats/converse/index.ts';
import { cloudKeys } from './credentials/cloud-keys.ts';
import type { Provider } from './provider.ts';

export const managedCloudModels: Provider = {
  ...vendorIdentity('managed-cloud-models'),
  routeCredential: 'cloud-keys',
  authorize: cloudKeys,
  format: forChatClients(converse),
  // The whole id is one segment, including slashes.
  path: ({ target, model, request }) =>
    `${target.baseUrl.path}/model/${encodeURIComponent(model)}/${request.stream ? 'converse-stream' : 'converse'}`,
  fetchesImages: true,
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};
