// The Responses API as a vendor's format, for clients that speak it too. Source: types of the package openai.
import type { ReadableFormat } from '../format.ts';
import { readGptError } from '../gpt-error.ts';
import { readResponse } from './read-response.ts';
import { ResponsesStreamReader } from './read-stream.ts';

export const responses: ReadableFormat = {
  name: 'responses',
  streamType: 'text/event-stream',
  readResponse,
  openStream: (call, context) => new ResponsesStreamReader(call, context),
  readError: readGptError,
};
