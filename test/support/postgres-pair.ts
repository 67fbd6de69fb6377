// A PostgreSQL primary and a standby that follows it, for tests of promotion: one shell script that runs here or in a
// container.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresImage, type ServerSource, startContainer } from './containers.ts';
import { runSql } from './databases.ts';
import { findBinaries, giveTo } from './postgres.ts';
import { freePort, startProcess, until } from './process.ts';
import { askTestServers } from './test-servers.ts';

export interface PostgresPair {
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  stop(): Promise<void>;
}

/** Takes about three seconds. @param from source of the servers outside a test run */
export async function startPostgresPair(from?: ServerSource): Promise<PostgresPair> {
  const ports = { primary: await freePort(), standby: await freePort() };
  const environment = { PRIMARY: String(ports.primary), STANDBY: String(ports.standby) };
  const inContainer = (from ?? (await askTestServers('source'))) === 'docker';
  const pair = inContainer ? await startInContainer(ports, environment) : await startLocally(environment);
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const urls = { primaryUrl: urlOf(ports.primary), standbyUrl: urlOf(ports.standby) };
  const accepts = () => runSql(urls.standbyUrl, 'select 1').then(() => true, pair.check);
  await until(accepts, { timeoutMs: 30_000, what: 'the standby to accept connections' });
  return { ...urls, stop: pair.stop };
}

// If the test process is killed, the guard ends the servers together with the shell.
const script = `
set -e
trap 'kill -QUIT $(jobs -p) 2>/dev/null; wait' TERM
guard=; if setpriv --pdeathsig KILL true 2>/dev/null; then guard='setpriv --pdeathsig KILL --'; fi
serve() { exec $guard postgres -D "$1" -p "$2" -c "listen_addresses=$LISTEN" -c unix_socket_directories= -c fsync=off; }
initdb -D "$DIRECTORY/primary" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync >/dev/null
echo 'host all all all trust' >> "$DIRECTORY/primary/pg_hba.conf"
serve "$DIRECTORY/primary" "$PRIMARY" &
until pg_isready -q -h 127.0.0.1 -p "$PRIMARY"; do sleep 0.05; done
pg_basebackup -D "$DIRECTORY/standby" -h 127.0.0.1 -p "$PRIMARY" -U postgres -R -X stream --checkpoint=fast --no-sync
serve "$DIRECTORY/standby" "$STANDBY" &
wait`;

interface Started {
  stop(): Promise<void>;
  /** @throws Error if it has ended */
  check(): Promise<false>;
}

async function startLocally(environment: Record<string, string>): Promise<Started> {
  const user = process.getuid?.() === 0 ? 'postgres' : undefined;
  const directory = mkdtempSync(join(tmpdir(), 'gateway-postgres-pair-'));
  if (user !== undefined) await giveTo(user, directory);
  const path = `${findBinaries()}:${process.env.PATH}`;
  const shell = startProcess('sh', ['-c', script], {
    env: { ...environment, DIRECTORY: directory, LISTEN: '127.0.0.1', PATH: path },
    ...(user && { user }),
  });
  return {
    check: async () => {
      const code = await Promise.race([shell.exited, Promise.resolve(undefined)]);
      if (code !== undefined) throw new Error(`PostgreSQL did not start: ${shell.stderr().trim()}`);
      return false;
    },
    stop: async () => {
      await shell.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startInContainer(
  ports: { readonly primary: number; readonly standby: number },
  environment: Record<string, string>,
): Promise<Started> {
  const container = await startContainer({
    image: postgresImage,
    environment: { ...environment, DIRECTORY: '/var/lib/postgresql/data', LISTEN: '*' },
    command: ['gosu', 'postgres', 'sh', '-c', script],
    ports: [ports.primary, ports.standby],
  });
  return { check: async () => false, stop: () => container.stop() };
}
