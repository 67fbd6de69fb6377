// The assistant-model vendor: its Messages API. Source: types of the package @anthropic-ai/sdk.
import type { Provider } from '../provider.ts';
import { readAssistantAnswer } from './answer.ts';
import { readAssistantError } from './errors.ts';
import { buildAssistantRequest } from './request.ts';
import { AssistantStreamReader } from './stream.ts';

export const assistantProvider: Provider = {
  name: 'assistant-provider',
  aliases: ['anthropic'],
  defaultBaseUrl: 'https://api.anthropic.com',
  routeCredential: 'plain',
  fetchesImages: false,
  streamType: 'text/event-stream',
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildAssistantRequest,
  readAnswer: readAssistantAnswer,
  openStream: (call, _head, limits) => new AssistantStreamReader(call, limits),
  readError: readAssistantError,
};
