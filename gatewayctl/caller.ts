// Who is asking, as the server knows them: asked for once on a connection.
import type { StatusCaller__Output as StatusCaller } from '../proto/generated/gateway/v1/StatusCaller.ts';
import type { Client } from './client.ts';

const callers = new WeakMap<Client, Promise<StatusCaller | null>>();

/** Null where the server does not say. @throws CallFailure */
export function callerOf(client: Client): Promise<StatusCaller | null> {
  const known = callers.get(client);
  if (known !== undefined) return known;
  const asked = client.call('Status.Get', {}).then(({ caller }) => caller);
  callers.set(client, asked);
  return asked;
}
