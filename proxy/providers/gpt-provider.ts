// The GPT vendor, whose format is also the callers'. Clients of its newer format reach that one.
import { vendorIdentity } from '../../common/vendors.ts';
import { chatCompletions } from '../formats/chat-completions/index.ts';
import { forNativeClients, type NativeCall } from '../formats/chat-completions/native.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import type { ClientRequest, PassedRequest } from '../formats/client-format.ts';
import { rightsOf } from '../formats/own-tools.ts';
import { responsesCount } from '../formats/responses/count.ts';
import { withoutForeign } from '../formats/responses/foreign-items.ts';
import { responses } from '../formats/responses/index.ts';
import { passResponsesRequest } from '../formats/responses/pass-request.ts';
import { onlyTextOf } from '../formats/responses/read-stream.ts';
import { bearer } from './credentials/api-key.ts';
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
      ...forNativeClients(responses, writeNative, { onlyText: onlyTextOf }),
      path: ({ target }) => `${target.baseUrl.path}/responses`,
      counter: { path: ({ target }) => `${target.baseUrl.path}/responses/input_tokens`, form: responsesCount },
      // Models for sound and for search have chat completions only.
      serves: (model) => !/(?:^|-)(?:audio|search)(?:-|$)/.test(model),
    },
  },
  fetchesImages: false,
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};

function writeNative(sent: ClientRequest, { model, target, request, isGuarded = false }: NativeCall): PassedRequest {
  const { client, dropped } = withoutForeign(sent);
  const passed = passResponsesRequest(client, {
    model,
    ...rightsOf(target),
    outputTokens: request.body.max_completion_tokens,
    isGuarded,
  });
  return { ...passed, dropped: [...new Set([...passed.dropped, ...dropped])] };
}
