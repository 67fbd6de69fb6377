// A PostgreSQL and a Redis that are killed and started again over the same data, with all settings that make
// acknowledged writes durable. They are always separate servers, because those of DATABASE_URL and REDIS_URL must not
// be killed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram, postgresImage, redisImage, type ServerSource, startContainer } from './containers.ts';
import { runSql } from './databases.ts';
import { findBinaries, giveTo, initOptions } from './postgres.ts';
import { type Child, freePort, startProcess, until } from './process.ts';

export interface DurableServer {
  readonly url: string;
  readonly port: number;
  /** Kills all its processes at once. */
  kill(): Promise<void>;
  /** Resolves when it responds. */
  restart(): Promise<void>;
  /** Stops it for good, and removes its data. */
  stop(): Promise<void>;
}

export async function startDurablePostgres(source: ServerSource): Promise<DurableServer> {
  const port = await freePort();
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const settings = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'max_connections=100'];
  const host =
    source === 'docker'
      ? await inContainer({
          image: postgresImage,
          environment: { POSTGRES_PASSWORD: 'postgres' },
          command: ['postgres', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
          ports: [port],
        })
      : await localPostgres([
          ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
          ...settings,
        ]);
  return durable({ url, port }, host, () => runSql(url, 'select 1'));
}

export async function startDurableRedis(source: ServerSource): Promise<DurableServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const durably = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', "''"];
  const args = ['--port', String(port), '--protected-mode', 'no', ...durably];
  const host =
    source === 'docker'
      ? await inContainer({ image: redisImage, command: ['redis-server', ...args], ports: [port] })
      : localRedis([...args, '--bind', '127.0.0.1']);
  return durable({ url, port }, host, () => ping(url));
}

/** The machine or container where a server runs. */
interface Host {
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Its output, if it has ended. */
  ended(): Promise<string | undefined>;
  remove(): Promise<void>;
}

async function durable(
  at: Pick<DurableServer, 'url' | 'port'>,
  host: Host,
  respond: () => Promise<unknown>,
): Promise<DurableServer> {
  const restart = async () => {
    await host.start();
    const responds = async () => {
      // PostgreSQL does not start while a process of the one before still runs.
      if ((await host.ended()) !== undefined) await host.start();
      return respond().then(
        () => true,
        () => false,
      );
    };
    await until(responds, { timeoutMs: 60_000, what: `the server at port ${at.port} to respond` });
  };
  await restart();
  return { ...at, kill: () => host.kill(), restart, stop: () => host.remove() };
}

async function localPostgres(settings: readonly string[]): Promise<Host> {
  const bin = findBinaries();
  const user = process.getuid?.() === 0 ? { user: 'postgres' } : {}; // initdb and postgres refuse root
  const directory = mkdtempSync(join(tmpdir(), 'gateway-durable-postgres-'));
  if (user.user !== undefined) await giveTo(user.user, directory);
  const data = join(directory, 'data');
  const init = startProcess(join(bin, 'initdb'), ['-D', data, ...initOptions], user);
  if ((await init.exited) !== 0) throw new Error(`initdb failed: ${init.stderr().trim()}`);
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  return local(() => startProcess(join(bin, 'postgres'), args, user), directory);
}

function localRedis(args: readonly string[]): Host {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error('this needs Redis: start Docker, or install redis-server');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-durable-redis-'));
  return local(() => startProcess(program, args, { cwd: directory }), directory);
}

function local(startChild: () => Child, directory: string): Host {
  let child: Child | undefined;
  const kill = async () => {
    if (child === undefined) return;
    const helpers = childrenOf(child.pid);
    child.signal('SIGKILL');
    for (const pid of helpers) killIfThere(pid);
    await child.exited;
    child = undefined;
  };
  return {
    start: async () => {
      child = startChild();
    },
    kill,
    ended: async () => {
      const code = await Promise.race([child?.exited, Promise.resolve(undefined)]);
      return code === undefined ? undefined : child?.stderr();
    },
    remove: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * PostgreSQL's sessions are separate processes. On systems other than Linux they end when they notice their parent's
 * end.
 */
function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with its parent.
  }
}

async function inContainer(options: Parameters<typeof startContainer>[0]): Promise<Host> {
  const container = await startContainer(options);
  let runs = true;
  return {
    start: async () => {
      if (!runs) await container.restart();
      runs = true;
    },
    kill: async () => {
      if (runs) await container.kill();
      runs = false;
    },
    ended: async () => undefined,
    remove: () => container.stop(),
  };
}

async function ping(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2000 });
  client.on('error', () => undefined); // the command rejects with it too
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
