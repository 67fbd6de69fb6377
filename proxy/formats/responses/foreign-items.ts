// What vendors of other formats have left in a client's input, and the vendor of this format would refuse: wrapped
// reasoning, and signatures in the ids of calls.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { hasSignature, splitId } from '../../conversation/call-ids.ts';
import { isWrapped } from '../../conversation/opaque.ts';
import type { ClientRequest } from '../client-format.ts';

export interface OwnItems {
  /** The client's own request if nothing changes. */
  readonly client: ClientRequest;
  readonly dropped: readonly string[];
}

export function withoutForeign(client: ClientRequest): OwnItems {
  const { body } = client;
  const { input } = body;
  const items = objectsOf(input);
  const isLost = items.some(isForeignReasoning);
  if (!Array.isArray(input) || !(isLost || items.some(isSigned))) return { client, dropped: [] };
  const own = input.filter((item) => !isForeignReasoning(item)).map((item: unknown) => withPlainId(item));
  return {
    client: { ...client, body: { ...body, input: own }, bytes: undefined },
    dropped: isLost ? ['input.reasoning'] : [],
  };
}

function isForeignReasoning(item: unknown): boolean {
  return isObject(item) && item.type === 'reasoning' && isWrapped(item.encrypted_content);
}

function isSigned({ call_id: id }: JsonObject): boolean {
  return typeof id === 'string' && hasSignature(id);
}

function withPlainId(item: unknown): unknown {
  if (!isObject(item) || typeof item.call_id !== 'string') return item;
  return { ...item, call_id: splitId(item.call_id).id };
}
