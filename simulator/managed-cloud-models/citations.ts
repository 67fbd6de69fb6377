// The citations of a response: the beginning of each document and search result for which the request enabled them.
import type { Citation } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { allBlocksOf, type ConverseRequest } from './request.ts';

export function citationsOf(request: ConverseRequest): readonly Json[] {
  const blocks = [...allBlocksOf(request)];
  const documents = blocks.filter(({ kind }) => kind === 'document').map(({ value }) => value as Json);
  const results = blocks.filter(({ kind }) => kind === 'searchResult').map(({ value }) => value as Json);
  return [
    ...documents.flatMap((document, index) => (isEnabled(document) ? [documentCitation(document, index)] : [])),
    ...results.flatMap((result, index) => (isEnabled(result) ? [resultCitation(result, index)] : [])),
  ];
}

export function webCitation({ uri, title, text }: Citation): Json {
  return {
    ...(title !== undefined && { title }),
    source: uri,
    ...(text !== undefined && { sourceContent: [{ text }] }),
    location: { web: { url: uri } },
  };
}

function isEnabled({ citations }: Json): boolean {
  return isObject(citations) && citations.enabled === true;
}

const quotedLength = 40;

function documentCitation({ name, source }: Json, documentIndex: number): Json {
  const quoted = textIn(source as Json).slice(0, quotedLength);
  return {
    title: name,
    sourceContent: [{ text: quoted === '' ? 'Simulated words of a page.' : quoted }],
    location:
      quoted === ''
        ? { documentPage: { documentIndex, start: 1, end: 2 } }
        : { documentChar: { documentIndex, start: 0, end: quoted.length } },
  };
}

function resultCitation({ title, source, content }: Json, searchResultIndex: number): Json {
  return {
    title,
    source,
    sourceContent: (content as readonly Json[]).slice(0, 1),
    location: { searchResultLocation: { searchResultIndex, start: 0, end: 1 } },
  };
}

/** Empty for media without text: their pages are counted, not their characters. */
function textIn({ text, content }: Json): string {
  if (typeof text === 'string') return text;
  return Array.isArray(content) ? content.map((block: Json) => block.text).join('') : '';
}
