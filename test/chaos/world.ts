// The programs of a chaos run: control planes over PostgreSQL with a standby, Redis, proxies with journals, two vendors.
// Every network between them passes through a forwarder that can fail.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCredential } from '../../common/credential.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../common/record-signature.ts';
import { createSealKey } from '../../common/seal.ts';
import type { SimulatedVendor } from '../resilience/vendor.ts';
import { createTenant, startVendor, type Tenant, type Vendor } from '../resilience/world.ts';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import type { ServerSource } from '../support/containers.ts';
import { runSql } from '../support/databases.ts';
import { type DurableServer, startDurablePostgres, startDurableRedis } from '../support/durable-servers.ts';
import { bootstrap, type Environment } from '../support/gateway.ts';
import { startPostgresPair } from '../support/postgres-pair.ts';
import { freePort, until } from '../support/process.ts';
import { withClient } from '../support/redis.ts';
import { onSmallDisk } from '../support/small-disk.ts';
import { readiness } from '../support/telemetry.ts';
import { Program } from './ledger.programs.ts';
import { diskSeat, linkSeat, preload, programSeat, type Seat, strikesFile, vendorSeat } from './seats.ts';

export interface ChaosWorldOptions {
  readonly source: ServerSource;
  readonly proxies: number;
  readonly controlPlanes: number;
  /** The database has a standby that misses its last commits and is promoted once. Otherwise its server is killed. */
  readonly failover: boolean;
  /** The last proxy has a small disk for its journal, which may run full; it is not killed. */
  readonly disk: boolean;
}

export interface ProxyOfChaos {
  readonly name: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly program: Program;
}

export interface ChaosWorld {
  readonly seats: Readonly<Record<string, Seat>>;
  readonly vendors: Readonly<Record<SimulatedVendor, Vendor>>;
  readonly proxies: readonly ProxyOfChaos[];
  readonly programs: readonly Program[];
  /** Ports of the JSON API. */
  readonly operatorPorts: readonly number[];
  readonly tenant: Tenant;
  /** Through the network of the control planes. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  close(): Promise<void>;
}

/** How long proxies serve the records that they have without a control plane. */
export const maxStaleMs = 60_000;

type Closers = (() => unknown)[];

export async function startChaosWorld(options: ChaosWorldOptions): Promise<ChaosWorld> {
  const closers: Closers = [];
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    return { ...(await assemble(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(options: ChaosWorldOptions, closers: Closers): Promise<Omit<ChaosWorld, 'close'>> {
  const redis = await startDurableRedis(options.source);
  closers.push(() => redis.stop());
  const database = await startDatabase(options, closers);
  const vendors = {
    'gpt-provider': await startVendor('gpt-provider', closers),
    'assistant-provider': await startVendor('assistant-provider', closers),
  };
  const links = {
    redis: await link(redis.port, closers),
    'gpt-provider': await link(vendors['gpt-provider'].port, closers),
    'assistant-provider': await link(vendors['assistant-provider'].port, closers),
  };
  const secrets = { bootstrapToken: createCredential('bootstrap'), recordKey: createSigningKey() };
  const upstreams = `127.0.0.1:${links['gpt-provider'].port},127.0.0.1:${links['assistant-provider'].port}`;
  const planes = await startControlPlanes(options, { ...secrets, databaseUrl: database.url, upstreams }, closers);
  const [operatorPort = 0] = planes.operatorPorts;
  const { platform, proxyToken } = await bootstrap(operatorPort, secrets.bootstrapToken);
  const tenant = await createTenant(platform, operatorPort, 'chaos');
  const redisUrl = `redis://127.0.0.1:${links.redis.port}`;
  const proxies = await startProxies(
    options,
    {
      GATEWAY_CONTROL_PLANE: planes.links.map(({ port }) => `127.0.0.1:${port}`).join(','),
      GATEWAY_PROXY_TOKEN: proxyToken,
      GATEWAY_RECORD_KEYS: publicPemOf(parseSigningKey(secrets.recordKey)),
      GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${links['gpt-provider'].port}/v1`,
      GATEWAY_ASSISTANT_PROVIDER_URL: `http://127.0.0.1:${links['assistant-provider'].port}/assistant-provider`,
      GATEWAY_PRIVATE_UPSTREAMS: upstreams,
      REDIS_URL: redisUrl,
    },
    closers,
  );
  return {
    ...{ vendors, tenant, databaseUrl: database.url, redisUrl, operatorPorts: planes.operatorPorts },
    proxies: proxies.all,
    programs: [...proxies.all.map(({ program }) => program), ...planes.programs],
    seats: {
      ...proxies.seats,
      ...planes.seats,
      ...database.seats,
      Redis: redisSeat(redis),
      'network of Redis': linkSeat([links.redis]),
      'gpt-provider': vendorSeat(vendors['gpt-provider']),
      'network of gpt-provider': linkSeat([links['gpt-provider']]),
      'assistant-provider': vendorSeat(vendors['assistant-provider']),
      'network of assistant-provider': linkSeat([links['assistant-provider']]),
    },
  };
}

async function link(port: number, closers: Closers): Promise<Forwarder> {
  const forwarder = await startForwarder({ port });
  closers.push(() => forwarder.stop());
  return forwarder;
}

function redisSeat(redis: DurableServer): Seat {
  return {
    kill: async () => {
      await redis.kill();
      return () => redis.restart();
    },
    /** Its replica that takes over has nothing. */
    empty: async () => {
      await withClient(redis.url, (client) => client.flushall()).catch(() => undefined);
      return async () => undefined;
    },
  };
}

async function startDatabase({ source, failover }: ChaosWorldOptions, closers: Closers) {
  if (!failover) {
    const server = await startDurablePostgres(source);
    closers.push(() => server.stop());
    const network = await link(server.port, closers);
    const kill = async () => {
      await server.kill();
      return () => server.restart();
    };
    const seats = { PostgreSQL: { kill }, 'network of PostgreSQL': linkSeat([network]) };
    return { url: through(server.url, network.port), seats };
  }
  const pair = await startPostgresPair(source);
  closers.push(() => pair.stop());
  const network = await link(Number(new URL(pair.primaryUrl).port), closers);
  const standby = Number(new URL(pair.standbyUrl).port);
  const promote = async () => {
    // From here on the standby receives no commit.
    await runSql(pair.standbyUrl, "alter system set primary_conninfo = ''");
    await runSql(pair.standbyUrl, 'select pg_reload_conf()');
    return async () => {
      await network.cut();
      await runSql(pair.standbyUrl, 'select pg_promote()');
      network.redirect({ port: standby });
      await network.heal();
    };
  };
  const { freeze, slow } = linkSeat([network]);
  const seats: Readonly<Record<string, Seat>> = {
    PostgreSQL: { failover: promote, ...(freeze && { freeze }), ...(slow && { slow }) },
  };
  return { url: through(pair.primaryUrl, network.port), seats };
}

function through(url: string, port: number): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}

interface Common {
  readonly bootstrapToken: string;
  readonly recordKey: string;
  readonly databaseUrl: string;
  readonly upstreams: string;
}

const adminListen = { GATEWAY_ADMIN_LISTEN: '127.0.0.1:0' };

async function startControlPlanes(
  { controlPlanes }: ChaosWorldOptions,
  { bootstrapToken, recordKey, databaseUrl, upstreams }: Common,
  closers: Closers,
) {
  const programs: Program[] = [];
  const links: Forwarder[] = [];
  const operatorPorts: number[] = [];
  const seats: Record<string, Seat> = {};
  const masterKey = createSealKey();
  for (let number = 1; number <= controlPlanes; number++) {
    const ports = { grpc: await freePort(), http: await freePort() };
    const strikes = strikesFile();
    const name = `control plane ${number}`;
    const environment = () => ({
      ...adminListen,
      GATEWAY_GRPC_LISTEN: `127.0.0.1:${ports.grpc}`,
      GATEWAY_HTTP_LISTEN: `127.0.0.1:${ports.http}`,
      GATEWAY_DATABASE_URL: databaseUrl,
      GATEWAY_MASTER_KEY: masterKey,
      GATEWAY_RECORD_SIGNING_KEY: recordKey,
      GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
      GATEWAY_PRIVATE_UPSTREAMS: upstreams,
      STRIKES: strikes.path,
    });
    const program = new Program(name, 'control-plane/main.ts', environment, { nodeArgs: ['--import', preload] });
    closers.push(strikes.remove, () => program.kill());
    await program.restart();
    const network = await link(ports.grpc, closers);
    programs.push(program);
    links.push(network);
    operatorPorts.push(ports.http);
    seats[name] = programSeat(program, strikes);
    seats[`network of ${name}`] = linkSeat([network]);
  }
  return { programs, links, operatorPorts, seats };
}

const diskKibibytes = 4_096;

async function startProxies(options: ChaosWorldOptions, environment: Environment, closers: Closers) {
  const all: ProxyOfChaos[] = [];
  const seats: Record<string, Seat> = {};
  const cacheKey = createSealKey();
  for (let number = 1; number <= options.proxies; number++) {
    const name = `proxy ${number}`;
    const ports = { traffic: await freePort(), admin: await freePort() };
    const strikes = strikesFile();
    const journal = mkdtempSync(join(tmpdir(), 'gateway-chaos-journal-'));
    const hasDisk = options.disk && number === options.proxies;
    const given = (): Environment => ({
      ...environment,
      GATEWAY_LISTEN: `127.0.0.1:${ports.traffic}`,
      GATEWAY_ADMIN_LISTEN: `127.0.0.1:${ports.admin}`,
      GATEWAY_ACCESS_MAX_STALE: `${maxStaleMs / 1_000}s`,
      GATEWAY_CACHE_KEY: cacheKey,
      GATEWAY_JOURNAL_DIR: journal,
      GATEWAY_ORGANIZATION_SHARE: '100',
      STRIKES: strikes.path,
    });
    const program = new Program(name, 'proxy/main.ts', given, {
      nodeArgs: ['--import', preload],
      ...(hasDisk && { within: onSmallDisk({ folder: journal, kibibytes: diskKibibytes }) }),
    });
    const remove = () => rmSync(journal, { recursive: true, force: true });
    closers.push(strikes.remove, remove, () => program.kill());
    await program.restart();
    const proxy = {
      name,
      url: `http://127.0.0.1:${ports.traffic}`,
      adminUrl: `http://127.0.0.1:${ports.admin}`,
      program,
    };
    await until(async () => (await readiness(proxy)) === 'ok', { what: `${name} to be ready` });
    all.push(proxy);
    const { kill, ...others } = programSeat(program, strikes);
    // Its disk would be gone with it.
    seats[name] = hasDisk ? { ...others, ...diskSeat(program, journal) } : { ...others, ...(kill && { kill }) };
  }
  return { all, seats };
}
