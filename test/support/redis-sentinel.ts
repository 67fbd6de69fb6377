// A Redis master, its replica and a Sentinel that promotes the replica when the master is gone, for tests: one shell
// script that runs here or in a container.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, redisImage, startContainer } from './containers.ts';
import { freePort, startProcess, until } from './process.ts';
import { withClient } from './redis.ts';
import { askTestServers } from './test-servers.ts';

export interface RedisSentinel {
  /** As REDIS_URL takes it. */
  readonly url: string;
  readonly masterUrl: string;
  readonly replicaUrl: string;
  stop(): Promise<void>;
}

const masterName = 'gateway';

// If the test process is killed, the guard ends the servers together with the shell.
const script = `
set -e
trap 'kill $(jobs -p) 2>/dev/null; wait' TERM
guard=; if setpriv --pdeathsig KILL true 2>/dev/null; then guard='setpriv --pdeathsig KILL --'; fi
cd "$DIRECTORY"
cat > sentinel.conf <<END
port $SENTINEL
sentinel monitor ${masterName} 127.0.0.1 $MASTER 1
sentinel down-after-milliseconds ${masterName} 500
sentinel failover-timeout ${masterName} 2000
END
serve() { exec $guard redis-server --bind "$BIND" --protected-mode no --save '' --appendonly no "$@"; }
serve --port "$MASTER" &
serve --port "$REPLICA" --replicaof 127.0.0.1 "$MASTER" --repl-diskless-sync-delay 0 &
until redis-cli -p "$REPLICA" info replication | grep -q master_link_status:up; do sleep 0.05; done
(exec $guard redis-server sentinel.conf --sentinel --bind "$BIND" --protected-mode no) &
wait`;

export async function startRedisSentinel(): Promise<RedisSentinel> {
  const ports = { master: await freePort(), replica: await freePort(), sentinel: await freePort() };
  const environment = {
    ...{ MASTER: String(ports.master), REPLICA: String(ports.replica), SENTINEL: String(ports.sentinel) },
  };
  const inContainer = (await askTestServers('source')) === 'docker';
  const stop = inContainer ? await startInContainer(Object.values(ports), environment) : startLocally(environment);
  const knowsReplica = () =>
    withClient(`redis://127.0.0.1:${ports.sentinel}`, async (client) => {
      const replicas = (await client.call('SENTINEL', 'REPLICAS', masterName)) as readonly unknown[];
      return replicas.length === 1;
    }).catch(() => false);
  await until(knowsReplica, { what: 'the Sentinel to know the replica' });
  return {
    url: `redis-sentinel://127.0.0.1:${ports.sentinel}/${masterName}`,
    masterUrl: `redis://127.0.0.1:${ports.master}`,
    replicaUrl: `redis://127.0.0.1:${ports.replica}`,
    stop,
  };
}

function startLocally(environment: Record<string, string>): () => Promise<void> {
  if (findProgram('redis-server') === undefined) throw new Error('this needs Redis: start Docker, or install it');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sentinel-'));
  const shell = startProcess('sh', ['-c', script], {
    env: { ...environment, DIRECTORY: directory, BIND: '127.0.0.1' },
  });
  return async () => {
    await shell.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

async function startInContainer(
  ports: readonly number[],
  environment: Record<string, string>,
): Promise<() => Promise<void>> {
  const container = await startContainer({
    image: redisImage,
    environment: { ...environment, DIRECTORY: '/tmp', BIND: '0.0.0.0' },
    command: ['sh', '-c', script],
    ports,
  });
  return () => container.stop();
}
