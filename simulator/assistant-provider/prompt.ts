// Counts the prompt's tokens, and how many of them are written to the prompt cache or read from it. The simulator keeps
// no state, so the same request gets the same counts: everything before the latest assistant message counts as sent
// before, and so as cached up to a breakpoint.
import { isObject, type Json } from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import type { Message } from './messages.ts';

export interface PromptTokens {
  readonly total: number;
  /** Tokens neither written to the cache nor read from it. */
  readonly uncached: number;
  readonly read: number;
  readonly written: Readonly<Record<Ttl, number>>;
}

export type Ttl = '5m' | '1h';

export interface Breakpoint {
  readonly ttl: Ttl;
  /** A path such as `messages.0.content.1`. */
  readonly at: string;
  /** Tokens up to this breakpoint. */
  readonly tokens: number;
  readonly sentBefore: boolean;
}

/** The breakpoints in the order in which the vendor reads a request: tools, system prompt, messages. */
export function breakpointsOf(body: Json, list: readonly Message[]): readonly Breakpoint[] {
  return measured(body, list).breakpoints;
}

/** @param cacheableMin tokens; a shorter prefix is not cached */
export function promptTokens(body: Json, list: readonly Message[], cacheableMin: number): PromptTokens {
  const { total, breakpoints } = measured(body, list);
  const cached = breakpoints.filter(({ tokens }) => tokens >= cacheableMin);
  const read = Math.max(0, ...cached.filter((one) => one.sentBefore).map((one) => one.tokens));
  const written = { '5m': 0, '1h': 0 };
  let end = read;
  for (const { tokens, ttl } of cached) {
    written[ttl] += Math.max(0, tokens - end);
    end = Math.max(end, tokens);
  }
  return { total, uncached: total - end, read, written };
}

interface Part {
  readonly block: Json;
  readonly at: string;
  readonly sentBefore: boolean;
}

function measured(body: Json, list: readonly Message[]): { total: number; breakpoints: readonly Breakpoint[] } {
  const parts = partsOf(body, list);
  const breakpoints: Breakpoint[] = [];
  // The vendor adds about three tokens per message, and three for the start of the response.
  let tokens = 3 + 3 * list.length;
  parts.forEach((part, index) => {
    tokens += tokensOf(part.block);
    // The breakpoint of the whole request is on its last block.
    const control = index === parts.length - 1 ? body.cache_control : undefined;
    for (const one of [...controlsIn(part.block), control].filter(isObject)) {
      const ttl: Ttl = one.ttl === '1h' ? '1h' : '5m';
      breakpoints.push({ ttl, at: part.at, tokens, sentBefore: part.sentBefore });
    }
  });
  return { total: tokens, breakpoints };
}

function partsOf(body: Json, list: readonly Message[]): readonly Part[] {
  const latest = list.findLastIndex(({ role }) => role === 'assistant');
  const sentBefore = latest > 0;
  const tools = (body.tools ?? []) as readonly Json[];
  const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : (body.system ?? []);
  return [
    ...tools.map((block, index) => ({ block, at: `tools.${index}`, sentBefore })),
    ...(system as readonly Json[]).map((block, index) => ({ block, at: `system.${index}`, sentBefore })),
    ...list.flatMap(({ blocks, index }) =>
      blocks.map((block, position) => ({
        block,
        at: `messages.${index}.content.${position}`,
        sentBefore: index < latest,
      })),
    ),
  ];
}

/** The breakpoints of a block and of the parts inside a tool result. */
function controlsIn(block: Json): readonly unknown[] {
  const inner = Array.isArray(block.content) ? block.content.map((part: Json) => part.cache_control) : [];
  return [...inner, block.cache_control];
}

const imageTokens = 1_200;
const pageTokens = 1_500;

function tokensOf(block: Json): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(String(block.text));
    case 'thinking':
      return estimateTokens(String(block.thinking));
    case 'image':
      return imageTokens;
    case 'document': {
      const { type, data } = block.source as Json;
      return type === 'text' ? estimateTokens(String(data)) : pageTokens;
    }
    case 'tool_result':
      return Array.isArray(block.content)
        ? block.content.reduce((sum: number, part: Json) => sum + tokensOf(part), 0)
        : estimateTokens(String(block.content ?? ''));
    default: {
      const { cache_control: _, ...counted } = block;
      return estimateTokens(JSON.stringify(counted));
    }
  }
}
