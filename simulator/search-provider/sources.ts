// The sources of a response's text, in the vendor's two forms: recited sources, and pages that its search found.
// Offsets count bytes of the text; an offset of 0 is left out, because the vendor's JSON leaves out defaults.
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';

export type Citations = NonNullable<Behaviour['citations']>;

/** The search results, unless a test scripts them. */
export const foundBySearch: Citations = [{ uri: 'https://example.test/simulated', title: 'example.test' }];

export function citationMetadata(text: string, citations: Citations): Json {
  const citationSources = citations.flatMap(({ uri, text: quoted }) => {
    const segment = segmentOf(text, quoted);
    return segment ? [{ ...segment.offsets, uri, license: '' }] : [];
  });
  return { citationSources };
}

export function groundingMetadata(text: string, citations: Citations): Json {
  const groundingSupports = citations.flatMap(({ text: quoted }, index) => {
    const segment = segmentOf(text, quoted);
    if (segment === undefined) return [];
    const support = { segment: { ...segment.offsets, text: segment.text } };
    return [{ ...support, groundingChunkIndices: [index], confidenceScores: [0.9] }];
  });
  return {
    webSearchQueries: ['simulated'],
    searchEntryPoint: { renderedContent: '<div>simulated</div>' },
    groundingChunks: citations.map(({ uri, title }) => ({ web: { uri, title: title ?? uri } })),
    groundingSupports,
  };
}

/**
 * The location of the first occurrence, or the whole text if nothing is quoted; undefined if the text lacks the quote.
 */
function segmentOf(whole: string, quoted = whole) {
  const at = whole.indexOf(quoted);
  if (at < 0 || quoted === '') return undefined;
  const startIndex = Buffer.byteLength(whole.slice(0, at));
  const endIndex = startIndex + Buffer.byteLength(quoted);
  return { text: quoted, offsets: { ...(startIndex > 0 && { startIndex }), endIndex } };
}
