// Chat completions of the hosted model studio, in four dialects. Responses pass through as sent, except for frames and
// gaps that break clients. Source: the vendor's REST references and definitions of the inference API; SDK types of the
// package openai.
import type { Format } from '../../format.ts';
import { PassthroughStream } from '../pass-stream.ts';
import type { ChatRequest } from '../read-request.ts';
import { requestedUsage } from '../usage.ts';
import { StudioChunks } from './chunks.ts';
import { readStudioError, studioError } from './errors.ts';
import { readStudioResponse } from './read-response.ts';
import { responsePlan } from './request-plan.ts';
import { writeStudioRequest } from './write-request.ts';

export const studioChatCompletions: Format<ChatRequest> = {
  name: 'chat_completions',
  streamType: 'text/event-stream',
  writeRequest: writeStudioRequest,
  readResponse: readStudioResponse,
  openStream: (call, _head, limits) =>
    new PassthroughStream({
      includeUsage: call.request.includeUsage,
      requested: requestedUsage(call.request),
      costText: call.costText,
      limits,
      readError: studioError,
      form: new StudioChunks(responsePlan(call)),
    }),
  readError: readStudioError,
};
