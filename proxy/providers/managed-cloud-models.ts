// The managed cloud model service: one API for models of many makers (Converse, ConverseStream), requests signed with a
// cloud account's access keys or sent with an API key. Clients of InvokeModel reach Claude models as they are; nobody
// else gets this API, because it refuses the betas and fields that clients of the maker's own API send.
import { vendorIdentity } from '../../common/vendors.ts';
import { forNativeClients } from '../formats/chat-completions/native.ts';
import { forChatClients } from '../formats/chat-completions/translated.ts';
import { converseCount, countedModel } from '../formats/converse/count.ts';
import { FrameBytes } from '../formats/converse/frames.ts';
import { converse } from '../formats/converse/index.ts';
import { withInvokeOptions } from '../formats/converse/invoke-options.ts';
import { invokeFormat, onlyTextOf as onlyTextOfInvoke } from '../formats/converse/invoke-vendor.ts';
import { passConverseRequest } from '../formats/converse/pass-request.ts';
import { onlyTextOf } from '../formats/converse/read-stream.ts';
import { messages } from '../formats/messages/index.ts';
import { passMessagesRequest } from '../formats/messages/pass-request.ts';
import { onlyTextOf as onlyTextOfMessages } from '../formats/messages/read-stream.ts';
import { rightsOf } from '../formats/own-tools.ts';
import { familyOf } from '../models/families.ts';
import { cloudKeys } from './credentials/cloud-keys.ts';
import type { Counter, Provider, ProviderCall, Target } from './provider.ts';

const counter: Counter = {
  path: ({ target, model }) => modelPath(target, countedModel(model), 'count-tokens'),
  form: converseCount,
};

export const managedCloudModels: Provider = {
  ...vendorIdentity('managed-cloud-models'),
  routeCredential: 'cloud-keys',
  authorize: cloudKeys,
  format: forChatClients(converse),
  path: conversePath,
  counter,
  native: {
    converse: {
      ...forNativeClients(
        converse,
        (client, { target, request, capabilities }) =>
          passConverseRequest(client, {
            ...rightsOf(target),
            isClaude: familyOf(capabilities).hasClaudeFields,
            outputTokens: request.body.max_completion_tokens,
          }),
        { openSplitter: (eventBytesMax) => new FrameBytes(eventBytesMax), onlyText: onlyTextOf },
      ),
      path: conversePath,
      counter,
    },
    invoke: {
      ...forNativeClients(
        invokeFormat(messages),
        (client, { target }) => {
          const rights = rightsOf(target);
          return withInvokeOptions(passMessagesRequest(client, undefined, rights), rights.isOwnKey);
        },
        {
          openSplitter: (eventBytesMax) => new FrameBytes(eventBytesMax),
          onlyText: onlyTextOfInvoke(onlyTextOfMessages),
        },
      ),
      path: ({ target, model, request }) =>
        modelPath(target, model, request.stream ? 'invoke-with-response-stream' : 'invoke'),
      // Counts of these requests come in the format of Converse.
      counter: undefined,
      // Others have bodies of their own. The model behind an ARN of the account is not known.
      serves: (model) => /(?:^|[./])anthropic\.claude/.test(model),
    },
  },
  fetchesImages: true,
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};

function conversePath({ target, model, request }: ProviderCall): string {
  return modelPath(target, model, request.stream ? 'converse-stream' : 'converse');
}

/** The whole id is one segment, including slashes. */
function modelPath({ baseUrl }: Target, model: string, operation: string): string {
  return `${baseUrl.path}/model/${encodeURIComponent(model)}/${operation}`;
}
