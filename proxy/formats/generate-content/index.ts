// The format of generateContent and streamGenerateContent. Source: SDK types of the package @google/genai, whose names
// are those on the wire.
import type { TranslatedFormat } from '../format.ts';
import { readGenerateContentError } from './errors.ts';
import { readGenerateContentResponse, readPassedContent } from './read-response.ts';
import { GenerateContentStreamReader } from './read-stream.ts';
import { writeGenerateContentRequest } from './write-request.ts';

export const generateContent: TranslatedFormat = {
  name: 'generate_content',
  streamType: 'text/event-stream',
  writeRequest: writeGenerateContentRequest,
  readResponse: readGenerateContentResponse,
  readPassed: readPassedContent,
  openStream: (call, context) => new GenerateContentStreamReader(call, context),
  readError: readGenerateContentError,
};
