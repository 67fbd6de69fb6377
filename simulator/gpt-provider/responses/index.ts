// The Responses API of the GPT vendor: its endpoints. Follows the documentation of the vendor and the types of its SDK
// (resources/responses). Files, conversations and prompts are other APIs, which the simulator does not have.
import type { Received, ResponseContext, SimulatedResponse } from '../../wire-format.ts';
import { bearerToken } from '../authorization.ts';
import type { Account } from './conversation.ts';
import { create, jsonBody } from './create.ts';
import { encryptedFor } from './encrypted.ts';
import { idOf } from './ids.ts';
import { inputItems } from './input-items.ts';
import { compactBody, countBody } from './parameters.ts';
import { parseRequest } from './request.ts';
import { createResponseStore } from './store.ts';
import { cancel, type Endpoint, listInput, remove, retrieve, scripted } from './stored.ts';

type Methods = Readonly<Record<string, (received: Received, context: ResponseContext) => SimulatedResponse>>;

/** The methods of a path below the base path; undefined for other paths. They throw Refusal and FieldFault. */
export function responsesMethods(path: string): Methods | undefined {
  const fixed = paths[path];
  if (fixed !== undefined) return fixed;
  const [, id, rest = ''] = /^\/responses\/([^/]+)(\/[a-z_]+)?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const of = (endpoint: Endpoint) => (received: Received, context: ResponseContext) =>
    endpoint(received, context, { account: accountOf(received, context), id: decoded(id) });
  switch (rest) {
    case '':
      return { GET: of(retrieve), DELETE: of(remove) };
    case '/cancel':
      return { POST: of(cancel) };
    case '/input_items':
      return { GET: of(listInput) };
    default:
      return undefined;
  }
}

const paths: Readonly<Record<string, Methods>> = {
  '/responses': { POST: (received, context) => create(received, context, accountOf(received, context)) },
  '/responses/input_tokens': { POST: countTokens },
  '/responses/compact': { POST: compact },
};

function accountOf({ headers }: Received, { memory }: ResponseContext): Account {
  return { account: bearerToken(headers) ?? '', store: memory.of(createResponseStore) };
}

function countTokens(received: Received, context: ResponseContext): SimulatedResponse {
  const { chat } = parseRequest(jsonBody(received), accountOf(received, context), countBody);
  return scripted(context, () => ({ object: 'response.input_tokens', input_tokens: chat.promptTokens }));
}

/** The messages of the user, then one item that stands for the rest (CompactedResponse of the SDK). */
function compact(received: Received, context: ResponseContext): SimulatedResponse {
  const account = accountOf(received, context);
  const { items, chat } = parseRequest(jsonBody(received), account, compactBody);
  const { now, sequence } = context;
  const id = idOf('cmp', sequence);
  const output = [
    ...inputItems(items, sequence).filter(({ type, role }) => type === 'message' && role === 'user'),
    { id, type: 'compaction', encrypted_content: encryptedFor(account.account, id) },
  ];
  const usage = {
    input_tokens: chat.promptTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: compactedTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: chat.promptTokens + compactedTokens,
  };
  const created = { id: idOf('resp', sequence), object: 'response.compaction', created_at: now };
  return scripted(context, () => ({ ...created, output, usage }));
}

const compactedTokens = 16;

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
