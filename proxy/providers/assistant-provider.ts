// The assistant-model vendor: its Messages API. Source: types of the package @anthropic-ai/sdk.

import { vendorIdentity } from '../../common/vendors.ts';
import { readAssistantError } from '../formats/messages/errors.ts';
import { readAssistantAnswer } from '../formats/messages/read-response.ts';
import { AssistantStreamReader } from '../formats/messages/read-stream.ts';
import { buildAssistantRequest } from '../formats/messages/write-request.ts';
import type { Provider } from './provider.ts';

export const assistantProvider: Provider = {
  ...vendorIdentity('assistant-provider'),
  routeCredential: 'plain',
  fetchesImages: false,
  streamType: 'text/event-stream',
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildAssistantRequest,
  readAnswer: readAssistantAnswer,
  openStream: (call, _head, limits) => new AssistantStreamReader(call, limits),
  readError: readAssistantError,
};
