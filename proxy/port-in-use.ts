// Reports a port that is in use when a sidecar starts. The sidecar ends at once and names the container that uses the
// port, as far as it can be seen from the sidecar's own container: the kernel reports the listening user, and the
// injector the containers of the pod.
import { readFile } from 'node:fs/promises';
import { ListenError } from '../common/listen.ts';
import type { Decoder } from '../common/settings.ts';

export interface PodContainer {
  readonly name: string;
  /** Undefined: the image defines it. */
  readonly user: number | undefined;
}

/** "app:1000", "app:" */
export const podContainer: Decoder<PodContainer> = (value) => {
  const match = /^([a-z0-9-]{1,63}):(\d{0,10})$/.exec(value);
  if (match === null) throw new Error(`must be container:user, such as app:1000 or app:, not "${value}"`);
  const [, name = '', user = ''] = match;
  return { name, user: user === '' ? undefined : Number(user) };
};

/** The annotation by which the pod's author moves the listener of a setting. */
const annotations: Readonly<Record<string, string>> = {
  GATEWAY_LISTEN: 'model-gateway.io/port',
  GATEWAY_ADMIN_LISTEN: 'model-gateway.io/admin-port',
};

/**
 * @param containers of the pod; undefined: this is no sidecar @returns the error unchanged if it is about something
 * else
 */
export async function inWordsOfThePod(
  error: unknown,
  containers: readonly PodContainer[] | undefined,
): Promise<unknown> {
  if (!(error instanceof ListenError) || !error.isTaken || containers === undefined) return error;
  const { address, setting } = error;
  const user = await listeningUser(address.port);
  const where = `${address.host}:${address.port}`;
  const who = whoHas(user, containers);
  return new Error(
    `${where} is already in use by ${who}; the pod’s annotation ${annotations[setting]} moves the sidecar’s`,
    { cause: error },
  );
}

/** The users of the port, for a message. */
export function whoHas(user: number | undefined, containers: readonly PodContainer[]): string {
  const certain = containers.filter((one) => one.user !== undefined && one.user === user);
  const possible = containers.filter((one) => one.user === undefined || user === undefined);
  const suspects = certain.length > 0 ? certain : possible;
  const as = user === undefined ? '' : `, as user ${user}`;
  const [only] = suspects;
  if (only === undefined) return `a process${as}, of no container that the pod had when it was made`;
  if (suspects.length === 1) return `container ${only.name}${as}`;
  return `one of the containers ${suspects.map(({ name }) => name).join(', ')}${as}`;
}

/** Undefined if it cannot be determined. */
async function listeningUser(port: number): Promise<number | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'latin1').catch(() => '')),
  );
  return userListeningAt(port, tables.join('\n'));
}

const listening = '0A';

/** @param table of the kernel, proc(5): address:port in hexadecimal, the peer's, the state, four more, the user */
export function userListeningAt(port: number, table: string): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const line of table.split('\n')) {
    const [, local = '', , state, , , , user] = line.trim().split(/\s+/);
    if (local.endsWith(`:${hex}`) && state === listening) return Number(user);
  }
  return undefined;
}
