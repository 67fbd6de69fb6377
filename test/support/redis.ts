// Real Redis for tests. Every caller gets a separate server that it may stop, kill and flush: a local process or a
// container, or, if `REDIS_URL` names a server, a database of it behind a forwarder that is cut instead of a kill.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startForwarder } from './black-hole.ts';
import { findProgram, redisImage, type ServerSource, startContainer } from './containers.ts';
import { freePort, startProcess, until } from './process.ts';
import { askTestServers } from './test-servers.ts';

const advice = 'start Docker, or install it (Debian: apt-get install redis-server; macOS: brew install redis)';

export interface RedisOptions {
  /** Port to listen on, for example of a server that was killed before. */
  readonly port?: number;
  /** Further arguments of redis-server, for example ['--save', '60 1']; without effect with REDIS_URL. */
  readonly args?: readonly string[];
  /** Source of the server outside a test run; REDIS_URL is ignored then. */
  readonly from?: ServerSource;
}

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Only for a local process. */
  readonly pid: number | undefined;
  /** Ends it; connections are closed in order. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Removes all data. */
  flush(): Promise<void>;
}

/** An empty Redis; takes about 10 ms as a local process. */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const port = options.port ?? (await freePort());
  const given = process.env.REDIS_URL;
  if (given !== undefined && options.from === undefined) return borrowDatabase(given, port);
  const url = `redis://127.0.0.1:${port}`;
  const source = options.from ?? (await askTestServers('source'));
  const server = await startServers([{ port, args: options.args ?? [] }], source);
  await until(() => responds(url), { timeoutMs: 10_000, what: 'Redis to respond' });
  return {
    url,
    port,
    pid: server.pid,
    stop: () => server.stop('SIGTERM'),
    kill: () => server.stop('SIGKILL'),
    flush: async () => {
      await withClient(url, (client) => client.flushall());
    },
  };
}

/** All values by name, unchanged. */
export function readValues(url: string): Promise<ReadonlyMap<string, Buffer>> {
  return withClient(url, async (client) => {
    const values = new Map<string, Buffer>();
    for (const name of await client.keys('*')) {
      const value = await client.getBuffer(name);
      if (value !== null) values.set(name, value);
    }
    return values;
  });
}

/** Sets values without expiry, as an attacker with access to Redis can. */
export async function writeValues(url: string, values: ReadonlyMap<string, Buffer>): Promise<void> {
  await withClient(url, async (client) => {
    for (const [name, value] of values) await client.set(name, value);
  });
}

export interface TestRedisCluster {
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

const slotCount = 16_384;

/**
 * Three masters on loopback that serve all slots. Takes about two seconds. Never from REDIS_URL, which names one
 * server.
 */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const nodes = [await newNode(), await newNode(), await newNode()] as const;
  const servers = await startServers(nodes, await askTestServers('source'));
  for (const { url } of nodes) await until(() => responds(url), { timeoutMs: 10_000, what: 'Redis to respond' });
  for (const [index, { url }] of nodes.entries()) {
    await withClient(url, async (client) => {
      const from = Math.ceil((slotCount * index) / nodes.length);
      const to = Math.ceil((slotCount * (index + 1)) / nodes.length) - 1;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (index > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', nodes[0].port, nodes[0].busPort);
    });
  }
  const whole = async () => (await Promise.all(nodes.map(({ url }) => seesAll(url)))).every(Boolean);
  await until(whole, { timeoutMs: 20_000, what: 'the Redis Cluster to be whole' });
  return { urls: nodes.map(({ url }) => url), stop: () => servers.stop('SIGTERM') };
}

async function newNode() {
  const [port, busPort] = [await freePort(), await freePort()];
  const args = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  return { url: `redis://127.0.0.1:${port}`, port, busPort, args };
}

function seesAll(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const info = String(await client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
  });
}

interface Servers {
  readonly pid: number | undefined;
  stop(signal: NodeJS.Signals): Promise<void>;
}

interface ServerSpec {
  readonly port: number;
  readonly args: readonly string[];
}

async function startServers(specs: readonly ServerSpec[], source: ServerSource): Promise<Servers> {
  return source === 'docker' ? startInContainer(specs) : startLocally(specs);
}

function startLocally(specs: readonly ServerSpec[]): Servers {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error(`these tests need Redis. Set REDIS_URL to one server, ${advice}`);
  const started = specs.map((spec) => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-redis-'));
    const child = startProcess(program, serverArgs(spec, '127.0.0.1'), { cwd: directory });
    return { child, directory };
  });
  return {
    pid: started[0]?.child.pid,
    stop: async (signal) => {
      await Promise.all(started.map(({ child }) => child.stop(signal)));
      for (const { directory } of started) rmSync(directory, { recursive: true, force: true });
    },
  };
}

// All in one container, so that the nodes of a cluster reach each other at the address that the host uses.
async function startInContainer(specs: readonly ServerSpec[]): Promise<Servers> {
  const commands = specs.map((spec) => `redis-server ${serverArgs(spec, '0.0.0.0').join(' ')}`);
  const container = await startContainer({
    image: redisImage,
    command: ['sh', '-c', `${commands.join(' & ')} & wait`],
    ports: specs.map((spec) => spec.port),
  });
  return { pid: undefined, stop: () => container.stop() };
}

function serverArgs(spec: ServerSpec, bind: string): readonly string[] {
  const file = `nodes-${spec.port}.conf`;
  const base = ['--port', String(spec.port), '--bind', bind, '--protected-mode', 'no', '--appendonly', 'no'];
  const cluster = spec.args.includes('--cluster-enabled') ? ['--cluster-config-file', file] : [];
  const announce = cluster.length > 0 ? ['--cluster-announce-ip', '127.0.0.1'] : [];
  const save = spec.args.includes('--save') ? [] : ['--save', "''"];
  return [...base, ...cluster, ...announce, ...save, ...spec.args];
}

const databaseCount = 15;

async function borrowDatabase(given: string, port: number): Promise<TestRedis> {
  const server = new URL(given);
  const count = await withClient(given, (client) => client.incr('gateway-test:count'));
  const path = `/${1 + (count % databaseCount)}`;
  const forwarder = await startForwarder({ host: server.hostname, port: Number(server.port || 6379) }, port);
  const direct = Object.assign(new URL(given), { pathname: path }).href;
  const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(port) }).href;
  const flush = async () => {
    await withClient(direct, (client) => client.flushdb());
  };
  await flush();
  return { url, port, pid: undefined, stop: forwarder.stop, kill: forwarder.stop, flush };
}

function responds(url: string): Promise<boolean> {
  return withClient(url, (client) => client.ping()).then(
    () => true,
    () => false,
  );
}

/** Calls one server over a separate connection. */
export async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
  });
  client.on('error', () => undefined); // each command rejects with it too
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}
