// The world of a chaos run: control planes over PostgreSQL with a standby, Redis with a replica, proxies with journals,
// sidecars before some of them, two vendors. Every network between them passes through a forwarder that can fail.
import { createCredential } from '../../common/credential.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../common/record-signature.ts';
import { createSealKey } from '../../common/seal.ts';
import type { OperatorApi } from '../../quickstart/operator-api.ts';
import type { SimulatedVendor } from '../resilience/vendor.ts';
import { createTenant, startVendor, type Tenant, type Vendor } from '../resilience/world.ts';
import type { ServerSource } from '../support/containers.ts';
import { bootstrap } from '../support/gateway.ts';
import { openAuthority } from './certificates.ts';
import type { Program } from './ledger.programs.ts';
import { type ProxyOfChaos, startControlPlanes, startProxies } from './planes.ts';
import { linkSeat, type Seat, vendorSeat } from './seats.ts';
import { type Closers, link, startDatabase, startRedisPair } from './servers.ts';

export interface ChaosWorldOptions {
  readonly source: ServerSource;
  readonly proxies: number;
  /** In front of the first proxies. */
  readonly sidecars: number;
  readonly controlPlanes: number;
  /** The database has a standby that misses its last commits and is promoted once. Otherwise its server is killed. */
  readonly failover: boolean;
  /** The last proxy has a small disk for its journal, which may run full; it is not killed. */
  readonly disk: boolean;
}

export interface ChaosWorld {
  readonly seats: Readonly<Record<string, Seat>>;
  readonly vendors: Readonly<Record<SimulatedVendor, Vendor>>;
  readonly proxies: readonly ProxyOfChaos[];
  /** Whom callers call: proxies, and sidecars that forward to them. */
  readonly entries: readonly ProxyOfChaos[];
  readonly programs: readonly Program[];
  /** Ports of the JSON API. */
  readonly operatorPorts: readonly number[];
  readonly tenant: Tenant;
  readonly platform: OperatorApi;
  /** Through the network of the control planes. */
  readonly databaseUrl: string;
  close(): Promise<void>;
}

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
  const redis = await startRedisPair(options.source, closers);
  const database = await startDatabase(options, closers);
  const authorities = {
    planes: await openAuthority('planes', closers),
    sidecars: await openAuthority('sidecars', closers),
  };
  const vendors = {
    'gpt-provider': await startVendor('gpt-provider', closers),
    'assistant-provider': await startVendor('assistant-provider', closers),
  };
  const links = {
    'gpt-provider': await link(vendors['gpt-provider'].port, closers),
    'assistant-provider': await link(vendors['assistant-provider'].port, closers),
  };
  const upstreams = `127.0.0.1:${links['gpt-provider'].port},127.0.0.1:${links['assistant-provider'].port}`;
  const bootstrapToken = createCredential('bootstrap');
  const recordKey = createSigningKey();
  const common = { ...options, authorities };
  const planeSettings = {
    GATEWAY_DATABASE_URL: database.url,
    GATEWAY_MASTER_KEY: createSealKey(),
    GATEWAY_RECORD_SIGNING_KEY: recordKey,
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    GATEWAY_PRIVATE_UPSTREAMS: upstreams,
  };
  const planes = await startControlPlanes({ ...common, environment: planeSettings }, closers);
  const [operatorPort = 0] = planes.operatorPorts;
  const { platform } = await bootstrap(operatorPort, bootstrapToken);
  const tenant = await createTenant(platform, operatorPort, 'chaos');
  const proxySettings = {
    GATEWAY_RECORD_KEYS: publicPemOf(parseSigningKey(recordKey)),
    GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${links['gpt-provider'].port}/v1`,
    GATEWAY_ASSISTANT_PROVIDER_URL: `http://127.0.0.1:${links['assistant-provider'].port}/assistant-provider`,
    GATEWAY_PRIVATE_UPSTREAMS: upstreams,
    REDIS_URL: redis.url,
  };
  const traffic = await startProxies({ ...common, controlPlanes: planes.links, environment: proxySettings }, closers);
  const { proxies, sidecars } = traffic;
  return {
    ...{ vendors, tenant, platform, proxies, databaseUrl: database.url, operatorPorts: planes.operatorPorts },
    entries: [...proxies, ...sidecars],
    programs: [...[...proxies, ...sidecars].map(({ program }) => program), ...planes.programs],
    seats: {
      ...traffic.seats,
      ...planes.seats,
      ...database.seats,
      ...redis.seats,
      'gpt-provider': vendorSeat(vendors['gpt-provider']),
      'network of gpt-provider': linkSeat([links['gpt-provider']]),
      'assistant-provider': vendorSeat(vendors['assistant-provider']),
      'network of assistant-provider': linkSeat([links['assistant-provider']]),
    },
  };
}
