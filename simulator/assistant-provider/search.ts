// A simulated web search by the vendor: the call of its own tool, the results, and texts that quote them
// (ServerToolUseBlock, WebSearchToolResultBlock, CitationsWebSearchResultLocation of its SDK).
import type { Citation } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import { words } from '../tokens.ts';

export type SearchBlock =
  | { readonly type: 'server_tool_use'; readonly id: string; readonly input: string }
  | {
      readonly type: 'web_search_tool_result';
      readonly tool_use_id: string;
      readonly content: readonly Json[];
    };

export interface CitedText {
  readonly type: 'text';
  readonly pieces: readonly string[];
  readonly citations: readonly Json[];
}

export function searchBlocks(citations: readonly Citation[], sequence: number): readonly SearchBlock[] {
  const id = `srvtoolu_simulated${sequence}`;
  const content = citations.map(({ uri, title }) => ({
    type: 'web_search_result',
    url: uri,
    title: title ?? uri,
    encrypted_content: 'c2ltdWxhdGVk',
    page_age: null,
  }));
  return [
    { type: 'server_tool_use', id, input: '{"query":"simulated"}' },
    { type: 'web_search_tool_result', tool_use_id: id, content },
  ];
}

/** Splits the text into blocks: each quoted passage is a block with its sources. */
export function citedTexts(text: string, citations: readonly Citation[]): readonly CitedText[] {
  const passages = [...new Set(citations.map((one) => one.text ?? text))]
    .map((passage) => ({ passage, at: text.indexOf(passage) }))
    .filter(({ passage, at }) => passage !== '' && at >= 0)
    .sort((a, b) => a.at - b.at);
  const blocks: CitedText[] = [];
  let end = 0;
  for (const { passage, at } of passages) {
    // A passage that overlaps with an earlier one is skipped.
    if (at < end) continue;
    if (at > end) blocks.push(textBlock(text.slice(end, at)));
    const sources = citations.filter((one) => (one.text ?? text) === passage);
    blocks.push(
      textBlock(
        passage,
        sources.map((one) => location(one, passage)),
      ),
    );
    end = at + passage.length;
  }
  if (end < text.length) blocks.push(textBlock(text.slice(end)));
  return blocks;
}

function textBlock(text: string, citations: readonly Json[] = []): CitedText {
  return { type: 'text', pieces: words(text), citations };
}

function location({ uri, title }: Citation, cited: string): Json {
  return {
    type: 'web_search_result_location',
    url: uri,
    title: title ?? uri,
    encrypted_index: 'c2ltdWxhdGVk',
    // The vendor quotes at most 150 characters.
    cited_text: cited.slice(0, 150).toWellFormed(),
  };
}
