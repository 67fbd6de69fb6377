// Vendors' responses: each response in each vendor's own format (types of the vendors' SDKs), and responses that only
// one vendor sends. Each one is whole and as the equivalent stream.
import type { VendorName } from '../../simulator/vendors.ts';
import { type ExpectedResponse, responses } from './corpus-responses.ts';
import { assistantMessage, assistantRows, assistantStream } from './responses-assistant.ts';
import { cloudResponse, cloudRows, cloudStream } from './responses-cloud.ts';
import { gptCompletion, gptRows, gptStream } from './responses-gpt.ts';
import { searchResponse, searchRows, searchStream } from './responses-search.ts';

export interface CorpusResponse {
  /** Unique, in the form `vendor: special case`. */
  readonly name: string;
  readonly vendor: VendorName;
  readonly model: string;
  /** JSON as the vendor sends it. */
  readonly whole: string;
  readonly stream: Buffer;
  readonly expected: Expected;
}

/** The content that the caller must receive. */
export interface Expected {
  readonly content?: string;
  readonly reasoning?: string;
  /** Name and arguments of each call. */
  readonly calls?: readonly (readonly [string, string])[];
  readonly finish?: string;
  readonly native?: string;
  /** Further fields of the message. */
  readonly has?: readonly string[];
  readonly usage?: readonly [prompt: number, completion: number, cached: number];
}

/** A response that only this vendor sends. */
export interface OwnRow<Response> {
  readonly name: string;
  readonly response: Response;
  readonly expected: Expected;
}

const finishes = { stop: 'stop', length: 'length', calls: 'tool_calls', filter: 'content_filter' } as const;

function expectedOf({ pieces, ends, usage }: ExpectedResponse): Expected {
  const join = (one: (piece: ExpectedResponse['pieces'][number]) => string) => pieces.map(one).join('');
  return {
    content: join((piece) => ('text' in piece ? piece.text : '')),
    reasoning: join((piece) => ('thought' in piece ? piece.thought : '')),
    calls: pieces.flatMap((piece) => ('call' in piece ? [[piece.call, piece.args] as const] : [])),
    finish: finishes[ends],
    usage: [usage.input, usage.output, usage.cached ?? 0],
  };
}

interface VendorFormat<Response> {
  readonly vendor: VendorName;
  readonly model: string;
  readonly write: (response: ExpectedResponse) => Response;
  readonly stream: (response: Response) => Buffer;
  readonly own: readonly OwnRow<Response>[];
}

function responsesOf<R>({ vendor, model, write, stream, own }: VendorFormat<R>): CorpusResponse[] {
  const rows = responses.map((response) => ({
    ...{ name: response.name, response: write(response), expected: expectedOf(response) },
  }));
  return [...rows, ...own].map(({ name, response, expected }) => ({
    ...{ name: `${vendor}: ${name}`, vendor, model, expected },
    whole: JSON.stringify(response),
    stream: stream(response),
  }));
}

const asGpt = { write: gptCompletion, stream: gptStream, own: gptRows };

export const corpusResponses: readonly CorpusResponse[] = [
  ...responsesOf({ vendor: 'gpt-provider', model: 'gpt-4o-mini', ...asGpt }),
  ...responsesOf({ vendor: 'studio-ai', model: 'DeepSeek-R1-0528', ...asGpt }),
  ...responsesOf({
    ...{ vendor: 'assistant-provider', model: 'claude-sonnet-4-5' },
    ...{ write: assistantMessage, stream: assistantStream, own: assistantRows },
  }),
  ...responsesOf({
    ...{ vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
    ...{ write: cloudResponse, stream: cloudStream, own: cloudRows },
  }),
  ...responsesOf({
    ...{ vendor: 'search-provider', model: 'gemini-2.5-flash' },
    ...{ write: searchResponse, stream: searchStream, own: searchRows },
  }),
];
