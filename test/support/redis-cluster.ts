// Failures of a Redis Cluster in use: masters die or fall silent, slots move. Uses commands only, so that it also works
// in containers.
import { withClient } from './redis.ts';

interface Nodes {
  readonly urls: readonly string[];
}

/** Changes a setting of all nodes, for example ['cluster-node-timeout', '1000']. */
export async function configure({ urls }: Nodes, setting: readonly [string, string]): Promise<void> {
  for (const url of urls) await withClient(url, (client) => client.config('SET', ...setting));
}

/** @returns the URL of the master that serves the key */
export async function ownerOf({ urls }: Nodes, key: string): Promise<string> {
  for (const url of urls) {
    const owns = await withClient(url, (client) => client.exists(key)).then(
      () => true,
      () => false,
    );
    if (owns) return url;
  }
  throw new Error(`no master serves ${key}`);
}

/** Breaks its connections; nothing listens afterwards. */
export async function killMaster(url: string): Promise<void> {
  await withClient(url, (client) => client.call('SHUTDOWN', 'NOSAVE', 'FORCE')).catch(() => undefined);
}

/** It accepts commands and does not respond to them; the other masters still get its messages. */
export async function silence(url: string, ms: number): Promise<void> {
  await withClient(url, (client) => client.call('CLIENT', 'PAUSE', ms, 'ALL'));
}

/** Moves the key's slot with its content, as operators do. */
export async function moveSlotOf({ urls }: Nodes, key: string, to: string): Promise<void> {
  const from = await ownerOf({ urls }, key);
  const slot = await withClient(from, (client) => client.cluster('KEYSLOT', key));
  const [fromId, toId] = [await idOf(from), await idOf(to)];
  const assign = (url: string, state: 'IMPORTING' | 'MIGRATING' | 'NODE', id: string) =>
    withClient(url, (client) => client.call('CLUSTER', 'SETSLOT', slot, state, id));
  await assign(to, 'IMPORTING', fromId);
  await assign(from, 'MIGRATING', toId);
  const { hostname, port } = new URL(to);
  await withClient(from, async (client) => {
    for (;;) {
      const keys = (await client.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) return;
      await client.call('MIGRATE', hostname, port, '', 0, 5000, 'KEYS', ...keys);
    }
  });
  for (const url of [to, from, ...urls.filter((other) => other !== to && other !== from)])
    await assign(url, 'NODE', toId);
}

async function idOf(url: string): Promise<string> {
  return String(await withClient(url, (client) => client.call('CLUSTER', 'MYID')));
}
