// The endpoints of stored responses: retrieve, delete, cancel, list the input.
import type { Json } from '../../checks.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../../wire-format.ts';
import { jsonResponse, vendorHeaders } from '../json-response.ts';
import { badField, Refusal } from '../refusal.ts';
import type { Account } from './conversation.ts';
import { scriptedError, streamed } from './create.ts';
import type { StoredResponse } from './store.ts';

export type Endpoint = (
  received: Received,
  context: ResponseContext,
  of: { readonly account: Account; readonly id: string },
) => SimulatedResponse;

/** GET /responses/{id}. A response in the background is in progress until the read at which it is over. */
export const retrieve: Endpoint = ({ query }, context, of) => {
  const stored = find(of);
  const params = new URLSearchParams(query);
  const include = [...params].filter(([name]) => /^include(\[\d*\])?$/.test(name)).map(([, value]) => value);
  if (include.includes('reasoning.encrypted_content')) {
    throw badField('include', 'Encrypted content cannot be requested for persisted responses.');
  }
  const wantsStream = params.get('stream') === 'true';
  if (wantsStream && !stored.background) {
    throw badField('stream', 'This response cannot be streamed because it was not created with background=true.');
  }
  const behaviour = context.scripted() ?? {};
  const refused = scriptedError(behaviour, context);
  if (refused !== undefined) return refused;
  if (wantsStream) {
    const after = Number(params.get('starting_after') ?? -1);
    stored.status = String(stored.response.status);
    return streamed(eventsAfter(stored, after), { behaviour, headers: vendorHeaders(context) });
  }
  if (stored.status === 'queued' || stored.status === 'in_progress') {
    stored.readsLeft--;
    stored.status = stored.readsLeft > 0 ? 'in_progress' : String(stored.response.status);
  }
  return { ...jsonResponse(200, current(stored), context), behaviour };
};

/** DELETE /responses/{id} */
export const remove: Endpoint = (_received, context, of) => {
  const { id } = find(of);
  return scripted(context, () => {
    of.account.store.remove(of.account.account, id);
    return { id, object: 'response', deleted: true };
  });
};

/** POST /responses/{id}/cancel. Idempotent: a response that ended stays as it is. */
export const cancel: Endpoint = (_received, context, of) => {
  const stored = find(of);
  if (!stored.background) throw badField('response_id', 'Cannot cancel a synchronous response.');
  return scripted(context, () => {
    if (stored.status === 'queued' || stored.status === 'in_progress') stored.status = 'cancelled';
    return current(stored);
  });
};

/** GET /responses/{id}/input_items?order&limit&after; the latest first unless `order` is `asc`. */
export const listInput: Endpoint = ({ query }, context, of) => {
  const { input } = find(of);
  const params = new URLSearchParams(query);
  const order = params.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    const message = `Invalid value: '${order}'. Supported values are: 'asc' and 'desc'.`;
    throw badField('order', message, 'invalid_value');
  }
  const limit = limitOf(params.get('limit'));
  const items = order === 'asc' ? input : input.toReversed();
  const after = params.get('after');
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0)
    throw new Refusal(404, { message: `Item with id '${after}' not found.`, param: 'after' });
  const data = items.slice(start, start + limit);
  return scripted(context, () => ({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < items.length,
  }));
};

function limitOf(text: string | null): number {
  const limit = Number(text ?? 20);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit;
  const message = `Invalid 'limit': integer out of range. Expected a value between 1 and 100, but got ${String(text)} instead.`;
  throw badField('limit', message, 'invalid_value');
}

function find({ account, id }: { readonly account: Account; readonly id: string }): StoredResponse {
  if (!id.startsWith('resp')) {
    const message = `Invalid 'response_id': '${id}'. Expected an ID that begins with 'resp'.`;
    throw badField('response_id', message, 'invalid_value');
  }
  const stored = account.store.find(account.account, id);
  if (stored === undefined) throw new Refusal(404, { message: `Response with id '${id}' not found.` });
  return stored;
}

export function scripted(context: ResponseContext, respond: () => Json): SimulatedResponse {
  const behaviour = context.scripted() ?? {};
  return scriptedError(behaviour, context) ?? { ...jsonResponse(200, respond(), context), behaviour };
}

function current({ opened, response, status }: StoredResponse): Json {
  return status === response.status ? response : { ...opened, status };
}

function* eventsAfter({ events }: StoredResponse, after: number): Generator<Json> {
  for (const event of events()) if (Number(event.sequence_number) > after) yield event;
}
