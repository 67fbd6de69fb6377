// Responses of the search company (SDK types `GenerateContentResponse`, `Part` of @google/genai, with their enums as
// texts).
import type { Candidate, GenerateContentResponseUsageMetadata, Part } from '@google/genai';
import { parseExactJson } from '../../common/exact-json.ts';
import { png } from '../support/png.ts';
import type { ExpectedResponse, Piece } from './corpus-responses.ts';
import type { OwnRow } from './responses.ts';
import { halves } from './responses-assistant.ts';

/** Enums are texts on the wire. */
type OnWire<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: OnWire<T[K]> } : T;

export interface SearchResponse {
  readonly candidates?: readonly OnWire<Candidate>[];
  readonly promptFeedback?: { readonly blockReason: string };
  readonly usageMetadata: OnWire<GenerateContentResponseUsageMetadata>;
  readonly modelVersion: string;
  readonly responseId: string;
}

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP', filter: 'SAFETY' } as const;

export function searchResponse({ pieces, ends, usage }: ExpectedResponse): SearchResponse {
  const { input, output, cached, thought = 0 } = usage;
  return response(pieces.map(partOf), finishReasons[ends], {
    ...{ promptTokenCount: input, candidatesTokenCount: output - thought, totalTokenCount: input + output },
    ...(thought > 0 && { thoughtsTokenCount: thought }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
  });
}

function partOf(piece: Piece): OnWire<Part> {
  if ('text' in piece) return { text: piece.text };
  if ('thought' in piece) return { text: piece.thought, thought: true };
  return { functionCall: { name: piece.call, args: parseExactJson(piece.args) as Record<string, unknown> } };
}

const plainUsage = { promptTokenCount: 20, candidatesTokenCount: 8, totalTokenCount: 28 };

function response(
  parts: readonly OnWire<Part>[],
  finishReason: string,
  usageMetadata: SearchResponse['usageMetadata'] = plainUsage,
): SearchResponse {
  const content = { role: 'model', parts: [...parts] };
  const candidate = { index: 0, content, finishReason } as OnWire<Candidate>;
  return { candidates: [candidate], usageMetadata, modelVersion: 'gemini-2.5-flash', responseId: 'r-1' };
}

const failed = (native: string): OwnRow<SearchResponse> => ({
  name: `ended with ${native}`,
  response: response([], native),
  expected: { content: '', calls: [], finish: 'error', native },
});
const filtered = (native: string): OwnRow<SearchResponse> => ({
  name: `ended with ${native}`,
  response: response([], native),
  expected: { content: '', finish: 'content_filter', native },
});
const withFields = (name: string, fields: object, has: readonly string[]): OwnRow<SearchResponse> => {
  const whole = response([{ text: 'Tea is hot.' }], 'STOP');
  const candidates = whole.candidates?.map((one) => ({ ...one, ...fields }) as OnWire<Candidate>) ?? [];
  return { name, response: { ...whole, candidates }, expected: { content: 'Tea is hot.', has } };
};

export const searchRows: readonly OwnRow<SearchResponse>[] = [
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'].map(failed),
  ...['MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE'].map(failed),
  ...['RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'IMAGE_SAFETY', 'OTHER'].map(filtered),
  {
    name: 'an unknown finish reason',
    response: response([{ text: 'Tea' }], 'TIRED'),
    expected: { content: 'Tea', finish: 'stop', native: 'TIRED' },
  },
  {
    name: 'a prompt that was blocked',
    response: {
      ...{
        promptFeedback: { blockReason: 'SAFETY' },
        usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 },
      },
      ...{ modelVersion: 'gemini-2.5-flash', responseId: 'r-1' },
    },
    expected: { content: '', finish: 'content_filter', native: 'SAFETY', usage: [20, 0, 0] },
  },
  {
    name: 'an image',
    response: response(
      [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: png }, thoughtSignature: 'c2ln' }],
      'STOP',
    ),
    expected: { content: 'Here:', has: ['images'] },
  },
  {
    name: 'sound',
    response: response([{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'AAAA' } }], 'STOP'),
    expected: { content: '', has: ['audio'] },
  },
  {
    name: 'signed words',
    response: response([{ text: 'Tea.', thoughtSignature: 'c2ln' }], 'STOP'),
    expected: { content: 'Tea.', has: ['extra_content'] },
  },
  withFields(
    'sources',
    {
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 3, text: 'Tea' }, groundingChunkIndices: [0] }],
      },
    },
    ['annotations'],
  ),
];

export function searchStream(whole: SearchResponse): Buffer {
  const { candidates: [candidate] = [], usageMetadata, modelVersion, responseId } = whole;
  const known = { modelVersion, responseId };
  if (candidate === undefined) return sse([whole]);
  const { content, ...end } = candidate;
  const parts = (content?.parts ?? []).flatMap(piecesOf);
  const pieces = parts.map((part) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] } }],
    ...known,
  }));
  return sse([...pieces, { candidates: [{ ...end, content: { role: 'model', parts: [] } }], usageMetadata, ...known }]);
}

function piecesOf({ text, ...more }: OnWire<Part>): OnWire<Part>[] {
  return text === undefined
    ? [more as OnWire<Part>]
    : halves(text).map((one) => ({ ...more, text: one }) as OnWire<Part>);
}

function sse(events: readonly object[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''));
}
