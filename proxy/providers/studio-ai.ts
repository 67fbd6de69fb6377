// The hosted model studio: GPT models and those of other makers, in four dialects of the callers' own format. Answers pass through
// as sent, but for frames and gaps that break clients. Which dialect is spoken, the base URL says.
// Source: the vendor's REST references and definitions of the inference API; SDK types of the package openai.

import { vendorIdentity } from '../../common/vendors.ts';
import { PassthroughStream } from '../formats/chat-completions/pass-stream.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import { StudioChunks } from '../formats/chat-completions/studio/chunks.ts';
import { readStudioError, studioError } from '../formats/chat-completions/studio/errors.ts';
import { readStudioAnswer } from '../formats/chat-completions/studio/read-response.ts';
import { answerPlan } from '../formats/chat-completions/studio/request-plan.ts';
import { buildStudioRequest } from '../formats/chat-completions/studio/write-request.ts';
import { askedUsage } from '../formats/chat-completions/usage.ts';
import type { Provider } from './provider.ts';

export const studioAi: Provider = {
  ...vendorIdentity('studio-ai'),
  routeCredential: 'bearer',
  fetchesImages: false,
  streamType: 'text/event-stream',
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildStudioRequest,
  readAnswer: readStudioAnswer,
  openStream: (call, _head, limits) =>
    new PassthroughStream({
      includeUsage: call.request.includeUsage,
      asked: askedUsage(call.request),
      costText: call.costText,
      limits,
      readError: studioError,
      form: new StudioChunks(answerPlan(call)),
    }),
  readError: readStudioError,
};
