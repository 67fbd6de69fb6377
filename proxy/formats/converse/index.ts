// Converse and ConverseStream: one API for models of many makers, with streams in binary frames.
// Source: SDK types of the package @aws-sdk/client-bedrock-runtime.
import type { TranslatedFormat } from '../format.ts';
import { readConverseError } from './errors.ts';
import { readConverseResponse } from './read-response.ts';
import { ConverseStreamReader } from './read-stream.ts';
import { streamType, writeConverseRequest } from './write-request.ts';

export const converse: TranslatedFormat = {
  name: 'converse',
  streamType,
  writeRequest: writeConverseRequest,
  readResponse: readConverseResponse,
  openStream: (call, context) => new ConverseStreamReader(call, context),
  readError: readConverseError,
};
