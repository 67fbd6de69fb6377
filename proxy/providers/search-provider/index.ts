// The search-company vendor's generateContent: callers' requests translated to it, its answers to the common shape. Source: SDK
// types of the package @google/genai; the wire has the same names.
import type { Provider } from '../provider.ts';
import { readSearchAnswer } from './answer.ts';
import { readSearchError } from './errors.ts';
import { buildSearchRequest } from './request.ts';
import { SearchStreamReader } from './stream.ts';

export const searchProvider: Provider = {
  name: 'search-provider',
  aliases: ['gemini', 'google'],
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  routeCredential: 'plain',
  fetchesImages: true,
  streamType: 'text/event-stream',
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildSearchRequest,
  readAnswer: readSearchAnswer,
  openStream: (call, head, limits) => new SearchStreamReader(call, head, limits),
  readError: readSearchError,
};
