// Sources of a response's text, as `annotations` of a message: web pages in the callers' format (SDK type
// `ChatCompletionMessage.Annotation`), and locations in documents of the request in an extension of the same form.
import { isNumber } from '../../common/exact-number.ts';
import type { JsonObject } from '../../common/json.ts';

/** The part of the content that the source supports, in UTF-16 units. */
export interface CitedSpan {
  readonly start_index: number;
  readonly end_index: number;
}

/** @param title of the page, if it has one */
export function urlCitation(span: CitedSpan, url: string, title: unknown): JsonObject {
  const cited = { ...span, title: typeof title === 'string' ? title : url, url };
  return { type: 'url_citation', url_citation: cited };
}

export interface CitedDocument {
  /** Number of the document among all of the request, from 0. */
  readonly index: unknown;
  readonly title: unknown;
  /** The quoted text. */
  readonly quote: unknown;
  /** `start_…` and `end_…` of characters, pages or blocks. */
  readonly location: JsonObject;
}

/**
 * `{"type":"document_citation","document_citation":{start_index,end_index,document_index,document_title,cited_text}}`
 * with one pair of `start_char_index`/`end_char_index` (from 0, end excluded), `start_page_number`/`end_page_number`
 * (from 1, end excluded) and `start_block_index`/`end_block_index` (from 0, end excluded).
 */
export function documentCitation(span: CitedSpan, { index, title, quote, location }: CitedDocument): JsonObject {
  const numbers = Object.entries(location).filter(([, value]) => isNumber(value));
  return {
    type: 'document_citation',
    document_citation: {
      ...span,
      ...(isNumber(index) && { document_index: index }),
      ...(typeof title === 'string' && { document_title: title }),
      ...(typeof quote === 'string' && { cited_text: quote }),
      ...Object.fromEntries(numbers),
    },
  };
}
