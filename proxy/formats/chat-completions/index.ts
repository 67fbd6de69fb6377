// Chat completions at a vendor that uses the callers' format: responses pass through unchanged, and the gateway only
// reads their usage.
// Source: SDK types `ChatCompletion`, `ChatCompletionChunk` of the package openai.
import { parseJson } from '../../../common/json.ts';
import type { Format } from '../format.ts';
import { gptError, readGptError } from '../gpt-error.ts';
import { PassthroughStream } from './pass-stream.ts';
import type { ChatRequest } from './read-request.ts';
import { readCompletion } from './read-response.ts';
import { requestedUsage } from './usage.ts';
import { writeChatRequest } from './write-request.ts';

export const chatCompletions: Format<ChatRequest> = {
  name: 'chat_completions',
  streamType: 'text/event-stream',
  writeRequest: writeChatRequest,
  readResponse: (call, { body }) => {
    // Parsed only for the counts; the caller gets the bytes unchanged.
    const { usage, model } = readCompletion(call, parseJson(body.toString()), gptError);
    return { body, usage, model };
  },
  openStream: ({ request, costText }, _head, limits) =>
    new PassthroughStream({
      includeUsage: request.includeUsage,
      requested: requestedUsage(request),
      limits,
      readError: gptError,
      costText,
    }),
  readError: readGptError,
};
