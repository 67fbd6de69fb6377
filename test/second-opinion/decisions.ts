// Decides who is right where the two opinions differ, and names the source. A difference that no row decides is a fault
// of one of them.

export interface Difference {
  readonly vendor: string;
  readonly model: string;
  readonly usage: string;
  /** Nano-dollars; undefined if no price is known. */
  readonly own: number | undefined;
  readonly theirs: number | undefined;
  /** Whether all parts have a price here; if not, the usage is marked `unpriced`. */
  readonly isCovered: boolean;
  readonly failed?: string;
}

export interface Decision {
  readonly what: string;
  readonly right: 'ours' | 'theirs' | 'unknown';
  readonly why: string;
  readonly source: string;
  of(difference: Difference): boolean;
}

const alwaysSearching = /-search-(preview|api)$/;

/** The first matching row decides. */
export const decisions: readonly Decision[] = [
  {
    what: 'models that search at every request, and cite nothing',
    right: 'ours',
    why: 'the fee is of each request; LiteLLM looks for a citation in the response',
    source: 'web search guide of the GPT vendor: these models retrieve from the web before they respond, always',
    of: ({ model, own, theirs }) => alwaysSearching.test(model) && (own ?? 0) > (theirs ?? 0),
  },
  {
    what: 'priority above 272,000 tokens',
    right: 'unknown',
    why: 'no price is published, because it is not offered; ours takes the higher of the two published prices, LiteLLM that of long prompts',
    source: 'openai.com/api-priority-processing: “excludes long context”',
    of: ({ vendor, usage }) => vendor === 'gpt-provider' && usage === 'priority, long',
  },
  {
    what: 'cache writes that live 12 hours',
    right: 'ours',
    why: 'LiteLLM has the price, and reads the lifetime in the Responses API alone; where the response does not contain it, the requested lifetime applies',
    source: 'SDK types PromptCacheOptions, PromptCacheBreakpoint of the GPT vendor; its price page',
    of: ({ usage }) => usage.startsWith('cache written for 12 h'),
  },
  {
    what: 'flex of gpt-5.5 at the studio',
    right: 'unknown',
    why: 'the list has a price of flex input and none of flex output; ours takes the usual prices, LiteLLM mixes both',
    source: 'the list itself, azure/gpt-5.5',
    of: ({ vendor, model, usage }) => vendor === 'studio-ai' && model === 'gpt-5.5' && usage === 'flex',
  },
  {
    what: 'pages cited at the studio',
    right: 'ours',
    why: 'its chat completions do not search: a response that cites pages is marked unpriced, and refused under a budget; LiteLLM charges a fee of another API',
    source: 'learn.microsoft.com, Azure OpenAI, web search: a tool of the Responses API',
    of: ({ vendor, usage, isCovered }) => vendor === 'studio-ai' && usage === 'searched' && !isCovered,
  },
  {
    what: 'models that LiteLLM has dropped',
    right: 'ours',
    why: 'they are called as long as the vendor serves them; LiteLLM has the price 0',
    source: 'figures of 1 August 2026, the vendor’s price page',
    of: ({ theirs }) => theirs === 0,
  },
  {
    what: 'cached sound of gemini-2.5-flash-image',
    right: 'unknown',
    why: 'no price is published; ours takes that of sound, LiteLLM that of cached text',
    source: 'the list itself, gemini/gemini-2.5-flash-image',
    of: ({ model, usage }) => model === 'gemini-2.5-flash-image' && usage === 'sound, cached',
  },
  {
    what: 'output that only totalTokenCount includes',
    right: 'ours',
    why: 'the total is the sum of prompt, tools, candidates and thoughts: the rest of it is output; LiteLLM counts nothing',
    source: 'SDK type GenerateContentResponseUsageMetadata',
    of: ({ usage }) => usage.endsWith('in the total alone'),
  },
];

export function decisionOf(difference: Difference): Decision | undefined {
  return decisions.find(({ of }) => of(difference));
}
