// The Responses API as a vendor's format. Source: types of the package openai.
import type { TranslatedFormat } from '../format.ts';
import { readGptError } from '../gpt-error.ts';
import { readPassedResponse, readResponse } from './read-response.ts';
import { ResponsesStreamReader } from './read-stream.ts';
import { writeResponsesRequest } from './write-request.ts';

export const responses: TranslatedFormat = {
  name: 'responses',
  streamType: 'text/event-stream',
  writeRequest: writeResponsesRequest,
  readResponse,
  readPassed: readPassedResponse,
  openStream: (call, context) => new ResponsesStreamReader(call, context),
  readError: readGptError,
};
