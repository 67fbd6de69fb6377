// A call whose response outlasts its request: what settling needs of it. Its texts may be many megabytes, and nothing
// accounts for them once the request is over.
import type { ChatCall } from '../call.ts';
import { LossList } from '../formats/client-losses.ts';

/** Fields by which usage is estimated, priced and recorded. */
const settledBy = [
  ...['n', 'max_completion_tokens', 'max_tokens', 'service_tier'],
  ...['reasoning_effort', 'thinking', 'previous_response_id'],
] as const;

export function withoutTexts(call: ChatCall): ChatCall {
  const { request, ...rest } = call;
  const { body, client, messages, model, stream, includeUsage, bytes } = request;
  const kept = Object.fromEntries(settledBy.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
  return {
    ...rest,
    request: {
      ...{ body: kept, model, stream, includeUsage, bytes },
      // Their number counts as well.
      messages: messages.map(({ role }) => ({ role })),
      ...(client && { client: { ...client, ...nothingSent } }),
    },
  };
}

const nothingSent = { body: {}, bytes: undefined, headers: [], origins: [], losses: new LossList() };
