// Servers of the Responses API, as custom providers have it: translated requests, and those of Responses clients with
// the fields that the operator lets pass. Its models are described like those of the GPT vendor.
import { vendorIdentity } from '../../common/vendors.ts';
import { forNativeClients } from '../formats/chat-completions/native.ts';
import { passesToCustom } from '../formats/chat-completions/passed-fields.ts';
import { forChatClients } from '../formats/chat-completions/translated.ts';
import { formatFields } from '../formats/responses/fields.ts';
import { responses } from '../formats/responses/index.ts';
import { onlyTextOf } from '../formats/responses/read-stream.ts';
import { bearer } from './credentials/api-key.ts';
import { nativePath, passToCustom } from './native-responses.ts';
import type { Provider } from './provider.ts';

export const responsesServer: Provider = {
  ...vendorIdentity('gpt-provider'),
  routeCredential: 'bearer',
  authorize: bearer,
  format: forChatClients(responses),
  path: nativePath,
  // Servers of the format need not have a counter.
  counter: undefined,
  native: {
    responses: {
      ...forNativeClients(responses, passToCustom, { onlyText: onlyTextOf }),
      path: nativePath,
      counter: undefined,
    },
  },
  nativePasses: (listed) => passesToCustom(listed, formatFields),
  fetchesImages: false,
  streamStops: { value: false, source: 'none', asOf: undefined },
};
