// `web_search_options` of a request (SDK type `ChatCompletionCreateParams.WebSearchOptions`), for the code that sends
// it on and for the code that reserves money for it.

/** How often a model may search, by the requested size of the search context. */
export const searchesBySize: ReadonlyMap<unknown, number> = new Map([
  ['low', 1],
  ['medium', 5],
  ['high', 10],
]);

/** The size if the caller requests none. */
export const searchSizeDefault = 'medium';
