// The assistant-model vendor: its Messages API.
import { vendorIdentity } from '../../common/vendors.ts';
import { forNativeClients } from '../formats/chat-completions/native.ts';
import { forChatClients } from '../formats/chat-completions/translated.ts';
import { messagesCount } from '../formats/messages/count.ts';
import { messages } from '../formats/messages/index.ts';
import { passMessagesRequest } from '../formats/messages/pass-request.ts';
import { onlyTextOf } from '../formats/messages/read-stream.ts';
import { rightsOf } from '../formats/own-tools.ts';
import { keyInHeader } from './credentials/api-key.ts';
import type { Counter, Provider } from './provider.ts';

const counter: Counter = {
  path: ({ target }) => `${target.baseUrl.path}/v1/messages/count_tokens`,
  form: messagesCount,
};

export const assistantProvider: Provider = {
  ...vendorIdentity('assistant-provider'),
  routeCredential: 'plain',
  authorize: keyInHeader('x-api-key'),
  format: forChatClients(messages),
  path: ({ target }) => `${target.baseUrl.path}/v1/messages`,
  counter,
  native: {
    messages: {
      ...forNativeClients(
        messages,
        (client, { model, target }) => passMessagesRequest(client, model, rightsOf(target)),
        { onlyText: onlyTextOf },
      ),
      path: ({ target }) => `${target.baseUrl.path}/v1/messages`,
      counter,
    },
  },
  fetchesImages: false,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};
