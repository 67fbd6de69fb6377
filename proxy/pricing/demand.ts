// The charges that a request may cause beyond plain tokens of text, derived from its fields: dearer service tiers,
// sound, images, searches, input that is not in its body. The reservation has to cover all of them.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { CallKind, ServiceTier, TokenKind } from '../../common/model-facts.ts';
import type { ChatCall } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { searchesBySize, searchSizeDefault } from '../conversation/web-search.ts';
import { wantsLongCache } from '../formats/chat-completions/usage.ts';
import type { OwnTool } from '../formats/own-tools.ts';
import { passedDearFields } from './dear-fields.ts';
import type { ToolCall } from './native-targets.ts';
import { passedTools } from './passed-tools.ts';

export interface Demand {
  /** Service tiers that it may get, besides the usual one. */
  readonly serviceTiers: readonly ServiceTier[];
  /** Where it is to be processed, if that is not left to the vendor. */
  readonly regions: readonly string[];
  /** Kinds of tokens in its prompt, besides those of every request. */
  readonly input: readonly TokenKind[];
  /** Kinds of tokens in its completion, besides text. */
  readonly output: readonly TokenKind[];
  /** The greatest number of pieces of each kind. */
  readonly calls: Readonly<Partial<Record<CallKind, number>>>;
  /** Its prompt may be as long as the model accepts, whatever the size of its body. */
  readonly wholeWindow: boolean;
  /** Tokens that each search may add to the prompt; later steps read them again. */
  readonly searchTokens: number;
  /** Tokens of the completion that no ceiling limits. */
  readonly moreOutput: number;
}

/** The demand of a request with text only. */
export const plainDemand: Demand = Object.freeze({
  serviceTiers: Object.freeze([]),
  regions: Object.freeze([]),
  input: Object.freeze([]),
  output: Object.freeze([]),
  calls: Object.freeze({}),
  wholeWindow: false,
  searchTokens: 0,
  moreOutput: 0,
});

export function demandOf(call: ToolCall & Pick<ChatCall, 'qualifiedModel'>): Demand {
  const { request, qualifiedModel } = call;
  const { body, messages } = request;
  const passed = passedTools(call);
  const dear = passedDearFields(call);
  const search = moreSearches(searchDemand(body, qualifiedModel), passed, qualifiedModel);
  const content = messages.map(contentOf);
  const hasSound = content.some(({ sound }) => sound);
  const isAlwaysSearching = alwaysSearching.some((kind) => qualifiedModel.includes(kind));
  return {
    serviceTiers: dear.flatMap(({ tier }) => tier ?? []),
    regions: dear.flatMap(({ region }) => region ?? []),
    input: [
      ...(wantsLongCache(body) ? (['cacheWrite12h'] as const) : []),
      ...(hasSound ? (['audioInput', 'audioCacheRead'] as const) : []),
    ],
    output: outputKinds(body),
    calls: {
      ...(search.searches > 0 && { search: search.searches }),
      ...(isAlwaysSearching && { request: 1 }),
    },
    wholeWindow:
      isAlwaysSearching ||
      isGiven(body.cached_content ?? body.cachedContent ?? body.previous_response_id) ||
      hasOwnTool(body) ||
      passed.some(({ cost }) => cost === 'reads') ||
      content.some(({ stored }) => stored),
    searchTokens: search.tokensEach,
    moreOutput: isGiven(body.prediction) ? Buffer.byteLength(JSON.stringify(body.prediction)) : 0,
  };
}

/** Models that search at every request, for a fee. */
export const alwaysSearching = ['-search-preview', '-search-api'];

function outputKinds({ modalities, audio }: JsonObject): readonly TokenKind[] {
  const wants = (one: string) => Array.isArray(modalities) && modalities.includes(one);
  return [
    ...(wants('audio') || isGiven(audio) ? (['audioOutput'] as const) : []),
    ...(wants('image') ? (['imageOutput'] as const) : []),
  ];
}

interface SearchDemand {
  readonly searches: number;
  readonly tokensEach: number;
}

/**
 * The most searches that vendors make for one request, and the tokens that each search adds to the prompt. Both are
 * allowances, on the safe side.
 */
function searchDemand(body: JsonObject, qualifiedModel: string): SearchDemand {
  const { web_search_options: options } = body;
  const ownSearch = ownToolsOf(body).some((name) => searchTools.has(name));
  if (!isGiven(options) && !ownSearch) return { searches: 0, tokensEach: 0 };
  switch (qualifiedModel.split('/')[0]) {
    case 'assistant-provider': {
      const size = isObject(options) ? (options.search_context_size ?? searchSizeDefault) : searchSizeDefault;
      // The search tool is sent with this limit. A result has some thousand tokens.
      return { searches: searchesBySize.get(size) ?? searchesMax, tokensEach: resultTokensMax };
    }
    case 'search-provider':
      // Its price page: retrieved content is not charged as input.
      return { searches: searchesMax, tokensEach: 0 };
    default:
      return { searches: searchesMax, tokensEach: resultTokensMax };
  }
}

/** With the searches of a client's own tools, which keep their own limits. */
function moreSearches(usual: SearchDemand, passed: readonly OwnTool[], qualifiedModel: string): SearchDemand {
  const searches = passed.filter(({ cost }) => cost === 'searches').map(({ usesMax = searchesMax }) => usesMax);
  if (searches.length === 0) return usual;
  return {
    searches: usual.searches + searches.reduce((sum, most) => sum + most, 0),
    tokensEach: qualifiedModel.startsWith('search-provider/') ? 0 : resultTokensMax,
  };
}

const searchesMax = 20;
const resultTokensMax = 25_000;

/** Tools that vendors run, and that callers may list among their own, in either spelling. */
const searchTools: ReadonlySet<string> = new Set(['googleSearch', 'google_search']);
const readingTools: ReadonlySet<string> = new Set(['urlContext', 'url_context', 'codeExecution', 'code_execution']);

/** Whether a vendor runs the tool and its cost is known. */
export function ownTool(tool: unknown): 'searches' | 'reads' | undefined {
  const [name, ...others] = isObject(tool) ? Object.keys(tool) : [];
  if (name === undefined || others.length > 0) return undefined;
  if (searchTools.has(name)) return 'searches';
  return readingTools.has(name) ? 'reads' : undefined;
}

function ownToolsOf({ tools }: JsonObject): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => (ownTool(tool) !== undefined && isObject(tool) ? Object.keys(tool) : []));
}

function hasOwnTool(body: JsonObject): boolean {
  return ownToolsOf(body).some((name) => readingTools.has(name));
}

interface ContentDemand {
  readonly sound: boolean;
  /** The message refers to content that the vendor stores or fetches. */
  readonly stored: boolean;
}

function contentOf({ content, audio }: JsonObject): ContentDemand {
  // A response in sound that the vendor has stored: it counts as tokens of sound again.
  if (isGiven(audio)) return { sound: true, stored: true };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const files = parts.flatMap((part) => fileOf(part) ?? []);
  return {
    sound: parts.some((part) => isObject(part) && part.type === 'input_audio') || files.some(isSounding),
    stored: files.some(isStored),
  };
}

/** The file that a part contains. Videos have a part of their own as well. */
export function fileOf(part: unknown): unknown {
  if (!isObject(part)) return undefined;
  if (part.type !== 'video_url') return part.type === 'file' ? part.file : undefined;
  const video = part.video_url;
  return { file_data: isObject(video) ? video.url : video };
}

/** The sound of videos is sound as well. */
export function isSounding(file: unknown): boolean {
  return (
    isObject(file) && typeof file.file_data === 'string' && /^data:(audio|video)\//i.test(file.file_data.slice(0, 30))
  );
}

/** A stored file, or a file by URL, may have any length. */
export function isStored(file: unknown): boolean {
  if (!isObject(file)) return false;
  return isGiven(file.file_id) || (typeof file.file_data === 'string' && /^https?:/i.test(file.file_data.slice(0, 30)));
}
