// The search-company vendor's generateContent: callers' requests translated to it, its answers to the common shape. Source: SDK
// types of the package @google/genai; the wire has the same names.

import { vendorIdentity } from '../../common/vendors.ts';
import { readSearchError } from '../formats/generate-content/errors.ts';
import { readSearchAnswer } from '../formats/generate-content/read-response.ts';
import { SearchStreamReader } from '../formats/generate-content/read-stream.ts';
import { buildSearchRequest } from '../formats/generate-content/write-request.ts';
import type { Provider } from './provider.ts';

export const searchProvider: Provider = {
  ...vendorIdentity('search-provider'),
  routeCredential: 'plain',
  fetchesImages: true,
  streamType: 'text/event-stream',
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildSearchRequest,
  readAnswer: readSearchAnswer,
  openStream: (call, head, limits) => new SearchStreamReader(call, head, limits),
  readError: readSearchError,
};
