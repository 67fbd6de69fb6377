// What conversation a request belongs to, so that all of its requests go to one target: a vendor's prompt cache, and
// reasoning that only one account can read, belong to the account that served the earlier requests. Not the virtual key:
// all users of an application have the same one. A caller who names another's session only shares that one's target.
import { createHash, type Hash } from 'node:crypto';
import { isObject, type JsonObject } from '../../common/json.ts';
import { type ChatMessage, type ChatRequest, clientBody } from '../formats/chat-completions/read-request.ts';
import type { RequestHeaders } from './headers.ts';

/** Headers of agents that name their session, the first of them that is sent. */
export const sessionHeaders = ['x-claude-code-session-id', 'session-id', 'x-session-affinity'] as const;

export interface SessionRequest {
  readonly request: ChatRequest;
  readonly headers: Pick<RequestHeaders, 'get'>;
}

/**
 * A header of an agent, else `prompt_cache_key`, else `metadata.user_id`, else a digest of what stays the same in a
 * conversation: its system prompt, its tools and the first message of the user.
 */
export function sessionOf({ request, headers }: SessionRequest): string {
  for (const name of sessionHeaders) {
    const value = headers.get(name);
    if (value) return value;
  }
  const { prompt_cache_key: cacheKey, metadata } = clientBody(request);
  if (isName(cacheKey)) return cacheKey;
  const user = isObject(metadata) ? metadata.user_id : undefined;
  return isName(user) ? user : beginningOf(request);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The characters of each part that count: the digest must not occupy the event loop. */
const charactersMax = 64 * 1024;
const depthMax = 32;

function beginningOf({ messages, body }: ChatRequest): string {
  const hash = createHash('sha256');
  const firstMessage = messages.findIndex(({ role }) => role === 'user');
  const system = messages.slice(0, Math.max(0, firstMessage)).filter(isInstruction);
  for (const part of [system, toolsOf(body), messages[firstMessage]]) {
    hash.update('\0');
    add(hash, part, { left: charactersMax });
  }
  return hash.digest('base64');
}

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function toolsOf({ tools, functions }: JsonObject): unknown {
  return tools ?? functions;
}

/** Each value with its kind, so that different values have different digests; marks of caches move. */
function add(hash: Hash, value: unknown, room: { left: number }, depth = 0): void {
  if (room.left <= 0 || depth > depthMax) return;
  room.left--;
  if (typeof value === 'string') {
    const text = value.slice(0, room.left);
    room.left -= text.length;
    hash.update(`"${text.length} `).update(text);
  } else if (Array.isArray(value)) {
    hash.update('[');
    for (const one of value) {
      if (room.left <= 0) return;
      add(hash, one, room, depth + 1);
    }
  } else if (isObject(value)) {
    hash.update('{');
    for (const [name, member] of Object.entries(value)) {
      if (room.left <= 0) return;
      if (name === 'cache_control') continue;
      add(hash, name, room, depth + 1);
      add(hash, member, room, depth + 1);
    }
  } else {
    hash.update(String(value));
  }
}
