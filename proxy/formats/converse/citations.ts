// Sources of a response's text (SDK types `Citation`, `CitationsDelta`, `CitationLocation`), as annotations of the message.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { type CitedPlace, documentCitation, urlCitation } from '../../conversation/annotations.ts';

/** The vendor's locations of documents, with the names of their ends in annotations. */
const inDocuments = [
  ['documentChar', 'char_index'],
  ['documentPage', 'page_number'],
  ['documentChunk', 'block_index'],
] as const;

/** Undefined for what is no source that callers know how to find. */
export function annotationOf(citation: JsonObject, place: CitedPlace): JsonObject | undefined {
  const { title, source, location, sourceContent } = citation;
  const known = isObject(location) ? location : {};
  const { web, searchResultLocation } = known;
  if (isObject(web) && typeof web.url === 'string') return urlCitation(place, web.url, title ?? web.domain);
  if (isObject(searchResultLocation) && typeof source === 'string') return urlCitation(place, source, title);
  const quoted: readonly unknown[] = Array.isArray(sourceContent) ? sourceContent : [];
  const quote = quoted.map((one) => (isObject(one) && typeof one.text === 'string' ? one.text : '')).join('');
  for (const [name, unit] of inDocuments) {
    const found = known[name];
    if (!isObject(found)) continue;
    const { documentIndex: index, start, end } = found;
    const ends = { [`start_${unit}`]: start, [`end_${unit}`]: end };
    return documentCitation(place, { index, title, quote: quote === '' ? undefined : quote, location: ends });
  }
  return undefined;
}
