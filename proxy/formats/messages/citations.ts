// Sources of a response's text (SDK type `TextCitation` of @anthropic-ai/sdk), as annotations of the message.
import type { JsonObject } from '../../../common/json.ts';
import { type CitedPlace, documentCitation, urlCitation } from '../../conversation/annotations.ts';

/** Undefined for what is no source that callers know how to find. */
export function annotationOf(citation: JsonObject, place: CitedPlace): JsonObject | undefined {
  const { type, url, title, source } = citation;
  switch (type) {
    case 'web_search_result_location':
      return typeof url === 'string' ? urlCitation(place, url, title) : undefined;
    case 'search_result_location':
      return typeof source === 'string' ? urlCitation(place, source, title) : undefined;
    case 'char_location':
      return ofDocument(citation, place, ['start_char_index', 'end_char_index']);
    case 'page_location':
      return ofDocument(citation, place, ['start_page_number', 'end_page_number']);
    case 'content_block_location':
      return ofDocument(citation, place, ['start_block_index', 'end_block_index']);
    default:
      return undefined;
  }
}

function ofDocument(citation: JsonObject, place: CitedPlace, names: readonly string[]): JsonObject {
  const location = Object.fromEntries(names.map((name) => [name, citation[name]]));
  const { document_index: index, document_title: title, cited_text: quote } = citation;
  return documentCitation(place, { index, title, quote, location });
}
