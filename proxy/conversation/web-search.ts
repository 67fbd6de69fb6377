// `web_search_options` of a request (SDK type `ChatCompletionCreateParams.WebSearchOptions`), for those who pass it on and those who
// hold money for it.

/** How often a model may search, by how much it is to take in. */
export const searchesBySize: ReadonlyMap<unknown, number> = new Map([
  ['low', 1],
  ['medium', 5],
  ['high', 10],
]);

/** Where the caller does not say how much. */
export const searchSizeDefault = 'medium';
