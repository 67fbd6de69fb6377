// UsageMetadata: the prompt's count includes cached tokens, the candidates' excludes thoughts, and the total includes
// all.
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import type { Completion } from './completion.ts';
import type { GenerateRequest, PromptTokens } from './request.ts';

/** @param wished replaces estimates; growing counts are replaced only in the last response of a stream */
export function usageOf(
  { promptTokens, config }: GenerateRequest,
  spent: Completion['tokens'],
  { wished, isLast }: { readonly wished: Behaviour['usage']; readonly isLast: boolean },
): Json | undefined {
  if (wished === null) return undefined;
  const prompt = promptTokens.text + promptTokens.image;
  const counts: Record<string, unknown> = {
    promptTokenCount: prompt,
    cachedContentTokenCount: promptTokens.cached,
    candidatesTokenCount: spent.textTokens * (config.candidateCount ?? 1),
    toolUsePromptTokenCount: spent.toolUse,
    thoughtsTokenCount: spent.thoughts,
  };
  for (const [name, value] of Object.entries(wished ?? {})) {
    if (isLast || !growing.has(name)) counts[name] = value;
  }
  counts.totalTokenCount ??= summands.reduce((sum, name) => sum + Number(counts[name]), 0);
  counts.promptTokensDetails ??= detailsOf(promptTokens);
  if (promptTokens.cached > 0) counts.cacheTokensDetails ??= text(promptTokens.cached);
  if (spent.toolUse > 0) counts.toolUsePromptTokensDetails ??= text(spent.toolUse);
  // The vendor's JSON leaves out every default.
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));
}

const growing: ReadonlySet<string> = new Set(['candidatesTokenCount', 'totalTokenCount']);

const summands = ['promptTokenCount', 'candidatesTokenCount', 'toolUsePromptTokenCount', 'thoughtsTokenCount'];

/** Counts of text and image. Without an image it is the text's count, also if a test scripted another total. */
function detailsOf(tokens: PromptTokens): readonly Json[] {
  const image = { modality: 'IMAGE', tokenCount: tokens.image };
  return tokens.image === 0 ? text(tokens.text) : [...text(tokens.text), image];
}

function text(tokenCount: number): readonly Json[] {
  return [{ modality: 'TEXT', tokenCount }];
}
