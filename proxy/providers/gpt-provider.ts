// The GPT vendor, whose wire format is also the callers': answers pass through as sent, only the usage is read out of them.
// Source: SDK types `ChatCompletion`, `ChatCompletionChunk` of the package openai.

import { parseJson } from '../../common/json.ts';
import { vendorIdentity } from '../../common/vendors.ts';
import { gptError, readGptError } from '../formats/chat-completions/errors.ts';
import { PassthroughStream } from '../formats/chat-completions/pass-stream.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import { readCompletion } from '../formats/chat-completions/read-response.ts';
import { askedUsage } from '../formats/chat-completions/usage.ts';
import { buildGptRequest } from '../formats/chat-completions/write-request.ts';
import type { Provider } from './provider.ts';

export const gptProvider: Provider = {
  ...vendorIdentity('gpt-provider'),
  routeCredential: 'bearer',
  fetchesImages: false,
  streamType: 'text/event-stream',
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildGptRequest,
  readAnswer: (call, { body }) => {
    // Read for its counts alone: the bytes go on.
    const { usage, model } = readCompletion(call, parseJson(body.toString()), gptError);
    return { body, usage, model };
  },
  openStream: (call, _head, limits) =>
    new PassthroughStream({
      ...{ includeUsage: call.request.includeUsage, asked: askedUsage(call.request) },
      ...{ limits, readError: gptError, costText: call.costText },
    }),
  readError: readGptError,
};
