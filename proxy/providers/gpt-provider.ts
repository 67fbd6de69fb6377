// The GPT vendor, whose format is also the callers'. Clients of its newer format reach that one.
import { vendorIdentity } from '../../common/vendors.ts';
import { chatCompletions } from '../formats/chat-completions/index.ts';
import { forNativeClients } from '../formats/chat-completions/native.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import { responsesCount } from '../formats/responses/count.ts';
import { responses } from '../formats/responses/index.ts';
import { readStored } from '../formats/responses/read-stored.ts';
import { onlyTextOf } from '../formats/responses/read-stream.ts';
import { bearer } from './credentials/api-key.ts';
import { nativePath, passToVendor } from './native-responses.ts';
import type { Provider } from './provider.ts';

export const gptProvider: Provider = {
  ...vendorIdentity('gpt-provider'),
  routeCredential: 'bearer',
  authorize: bearer,
  format: chatCompletions,
  path: ({ target }) => `${target.baseUrl.path}/chat/completions`,
  // Its counter takes Responses alone.
  counter: undefined,
  native: {
    responses: {
      ...forNativeClients(responses, passToVendor, { onlyText: onlyTextOf }),
      path: nativePath,
      counter: { path: ({ target }) => `${target.baseUrl.path}/responses/input_tokens`, form: responsesCount },
      // Models for sound and for search have chat completions only.
      serves: (model) => !/(?:^|-)(?:audio|search)(?:-|$)/.test(model),
    },
  },
  readStored,
  fetchesImages: false,
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};
