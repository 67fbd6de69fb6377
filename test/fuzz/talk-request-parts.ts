// What requests of several formats of clients have in common.
import { parseExactJson } from '../../common/exact-json.ts';
import type { JsonObject } from '../../common/json.ts';
import { issuerOf } from '../../proxy/conversation/opaque.ts';
import { wrapThinking } from '../../proxy/models/claude/wrapped-thinking.ts';
import { type TalkTool, type TalkTurn, type Thought, thinker } from './random-talks.ts';

type Turn<Role> = Extract<TalkTurn, { readonly role: Role }>;
type Writers = { readonly [Role in TalkTurn['role']]: (turn: Turn<Role>) => readonly JsonObject[] };

/** The turns in the form of one format. */
export function written(turns: readonly TalkTurn[], writers: Writers): readonly JsonObject[] {
  return turns.flatMap((turn) => writtenTurn(turn, writers));
}

function writtenTurn(turn: TalkTurn, writers: Writers): readonly JsonObject[] {
  switch (turn.role) {
    case 'user':
      return writers.user(turn);
    case 'system':
      return writers.system(turn);
    case 'assistant':
      return writers.assistant(turn);
    case 'tool':
      return writers.tool(turn);
  }
}

export function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export const parsed = (json: string) => parseExactJson(json);
export const dataUrl = (type: string, data: string) => `data:${type};base64,${data}`;

export function wrapped({ text, signature }: Thought): string {
  const issuer = issuerOf(thinker.vendor, thinker.keyId);
  const [block] = wrapThinking({ type: 'thinking', thinking: text, signature }, issuer);
  return block?.type === 'thinking' ? block.signature : '';
}

export const cacheControl = { cache_control: { type: 'ephemeral' } };
export const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
export const cachePoint = { cachePoint: { type: 'default' } };

/** With a mark on the last part. */
export function marked(parts: readonly object[], mark: object | false): readonly object[] {
  return parts.map((part, index) => (mark !== false && index === parts.length - 1 ? { ...part, ...mark } : part));
}

export function functionOf({ name, description, parameters, isStrict }: TalkTool): JsonObject {
  return given({ name, description, parameters, strict: isStrict || undefined });
}

export function listed<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Thinking needs a limit above its budget. */
export const budgets = { low: 1024, medium: 8192, high: 20_000 } as const;
