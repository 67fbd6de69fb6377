// generateContent and streamGenerateContent. Source: SDK types of the package @google/genai; the wire has the same names.
import type { TranslatedFormat } from '../format.ts';
import { readGenerateContentError } from './errors.ts';
import { readGenerateContentResponse } from './read-response.ts';
import { GenerateContentStreamReader } from './read-stream.ts';
import { writeGenerateContentRequest } from './write-request.ts';

export const generateContent: TranslatedFormat = {
  name: 'generate_content',
  streamType: 'text/event-stream',
  writeRequest: writeGenerateContentRequest,
  readResponse: readGenerateContentResponse,
  openStream: (call, context) => new GenerateContentStreamReader(call, context),
  readError: readGenerateContentError,
};
