// The Messages API. Source: types of the package @anthropic-ai/sdk.
import type { TranslatedFormat } from '../format.ts';
import { readMessagesError } from './errors.ts';
import { readMessagesResponse, readPassedMessage } from './read-response.ts';
import { MessagesStreamReader } from './read-stream.ts';
import { writeMessagesRequest } from './write-request.ts';

export const messages: TranslatedFormat = {
  name: 'messages',
  streamType: 'text/event-stream',
  writeRequest: writeMessagesRequest,
  readResponse: readMessagesResponse,
  readPassed: readPassedMessage,
  openStream: (call, context) => new MessagesStreamReader(call, context),
  readError: readMessagesError,
};
