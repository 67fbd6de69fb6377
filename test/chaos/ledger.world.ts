// The programs of a chaos run: separate processes of control planes and proxies, over their own PostgreSQL and Redis.
// Each can be killed and restarts with the same data; only the simulated vendor and the callers are spared.
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import type { OperatorApi } from '../../quickstart/operator-api.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import type { ServerSource } from '../support/containers.ts';
import { type DurableServer, startDurablePostgres, startDurableRedis } from '../support/durable-servers.ts';
import { bootstrap, newOrganization, type TestOrganization } from '../support/gateway.ts';
import { freePort } from '../support/process.ts';
import { createBudget, makeDear, type Subject } from '../support/spending.ts';
import { nameTags } from '../support/tagged-usage.ts';
import type { LogLine } from '../support/telemetry.ts';
import { vendorSettings } from '../support/vendors.ts';
import { Program, ProxySeat, type ProxyToken, type Victim } from './ledger.programs.ts';

/** A key, and the budgets that it spends from. */
export interface Payer {
  readonly name: string;
  readonly key: string;
  readonly budgets: readonly string[];
}

export interface World {
  readonly simulator: Simulator;
  readonly postgres: DurableServer;
  readonly redis: DurableServer;
  readonly proxies: readonly ProxySeat[];
  readonly victims: readonly Victim[];
  readonly payers: readonly Payer[];
  readonly organizations: readonly TestOrganization[];
  /** The port of the JSON API for operators. */
  readonly operatorPort: number;
  /** Warnings and errors of every process. */
  complaints(): readonly LogLine[];
  /** Whether each control plane runs, and the end of its output. */
  states(): readonly string[];
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly source: ServerSource;
  readonly proxies: number;
  readonly controlPlanes: number;
  /** How often each proxy may be started. */
  readonly runsMax: number;
}

type Closers = (() => Promise<unknown>)[];

export async function startWorld(options: WorldOptions): Promise<World> {
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

async function assemble(options: WorldOptions, closers: Closers): Promise<Omit<World, 'close'>> {
  const { source } = options;
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  closers.push(() => simulator.close());
  const [postgres, redis] = [await startDurablePostgres(source), await startDurableRedis(source)];
  closers.push(
    () => postgres.stop(),
    () => redis.stop(),
  );
  const bootstrapToken = createCredential('bootstrap');
  const ground = { simulator, postgres, redis, bootstrapToken };
  const planes = await startControlPlanes(ground, options, closers);
  const operatorPort = planes.ports[0]?.http ?? 0;
  const { platform } = await bootstrap(operatorPort, bootstrapToken);
  const { payers, organizations } = await hirePayers(platform, operatorPort);
  const proxies = await startProxies({ ...ground, planes, platform }, options, closers);
  const victims = [
    ...proxies,
    ...planes.programs,
    { name: 'PostgreSQL', ...pick(postgres) },
    { name: 'Redis', ...pick(redis) },
  ];
  return {
    ...{ simulator, postgres, redis, proxies, victims, payers, organizations, operatorPort },
    states: () => planes.programs.map((program) => program.state()),
    complaints: () => [...proxies, ...planes.programs].flatMap((program) => program.complaints()),
  };
}

const pick = ({ kill, restart }: DurableServer) => ({ kill, restart });

interface Ground {
  readonly simulator: Simulator;
  readonly postgres: DurableServer;
  readonly redis: DurableServer;
  readonly bootstrapToken: string;
}

interface ControlPlanes {
  readonly programs: readonly Program[];
  readonly ports: readonly { readonly grpc: number; readonly http: number }[];
}

const newPort = { GATEWAY_ADMIN_LISTEN: '127.0.0.1:0' };

async function startControlPlanes(
  { simulator, postgres, bootstrapToken }: Ground,
  { controlPlanes }: WorldOptions,
  closers: Closers,
): Promise<ControlPlanes> {
  const programs: Program[] = [];
  const ports: { grpc: number; http: number }[] = [];
  const masterKey = createSealKey();
  for (let number = 1; number <= controlPlanes; number++) {
    const { grpc, http } = { grpc: await freePort(), http: await freePort() };
    const program = new Program(`control plane ${number}`, 'control-plane/main.ts', () => ({
      ...newPort,
      GATEWAY_GRPC_LISTEN: `127.0.0.1:${grpc}`,
      GATEWAY_HTTP_LISTEN: `127.0.0.1:${http}`,
      GATEWAY_DATABASE_URL: postgres.url,
      GATEWAY_MASTER_KEY: masterKey,
      GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${simulator.port}`,
    }));
    closers.push(() => program.kill());
    await program.restart();
    programs.push(program);
    ports.push({ grpc, http });
  }
  return { programs, ports };
}

async function startProxies(
  on: Ground & { readonly planes: ControlPlanes; readonly platform: OperatorApi },
  { proxies: count, runsMax }: WorldOptions,
  closers: Closers,
): Promise<readonly ProxySeat[]> {
  const { simulator, redis, planes, platform } = on;
  const settings = {
    ...newPort,
    ...vendorSettings(simulator.baseUrls, simulator.port),
    GATEWAY_CONTROL_PLANE: planes.ports.map(({ grpc }) => `127.0.0.1:${grpc}`).join(','),
    GATEWAY_CACHE_KEY: createSealKey(),
    GATEWAY_ORGANIZATION_SHARE: '100',
    REDIS_URL: redis.url,
  };
  const proxies: ProxySeat[] = [];
  for (let number = 1; number <= count; number++) {
    const tokens = await Promise.all(Array.from({ length: runsMax }, () => createToken(platform)));
    const proxy = await ProxySeat.create(`proxy ${number}`, tokens, settings);
    closers.push(() => proxy.kill());
    await proxy.restart();
    proxies.push(proxy);
  }
  return proxies;
}

async function createToken(platform: OperatorApi): Promise<ProxyToken> {
  const made = await platform.call('ProxyTokens/Create', { name: `proxy-${Math.random()}` });
  const { id } = made.proxyToken as { readonly id: string };
  return { id, value: String(made.value) };
}

/**
 * Creates keys under every level of budgets, alone and together, one budget that is soon spent, and two keys without a
 * budget.
 */
async function hirePayers(platform: OperatorApi, port: number) {
  const paying = await newOrganization(platform, port, 'paying');
  const free = await newOrganization(platform, port, 'free');
  await makeDear(paying);
  await makeDear(free);
  await nameTags(paying);
  await nameTags(free);
  const { api, id } = paying;
  const system = await api.call('AiSystems/Create', { organizationId: id, name: 'system' });
  const person = { organizationId: id, name: 'person', role: 'ROLE_MEMBER' };
  const member = await api.call('People/Create', person);
  const ofSystem = await paying.createKey({
    scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id },
  });
  const ofPerson = await paying.createKey({ scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: member.id } });
  const [own, small] = [await paying.createKey(), await paying.createKey()];
  const budget = (kind: Subject['kind'], of: unknown, amountUsd: string, period: string) =>
    createBudget(paying, { kind, id: String(of) }, { amountUsd, period });
  const organization = await budget('ORGANIZATION', id, '60', 'DAY');
  const budgets = {
    system: await budget('AI_SYSTEM', system.id, '20', 'MONTH'),
    person: await budget('PERSON', member.id, '20', 'WEEK'),
    key: await budget('VIRTUAL_KEY', own.id, '20', 'TOTAL'),
    small: await budget('VIRTUAL_KEY', small.id, '0.6', 'TOTAL'),
  };
  const payers: readonly Payer[] = [
    { name: 'system', key: ofSystem.value, budgets: [organization, budgets.system] },
    { name: 'person', key: ofPerson.value, budgets: [organization, budgets.person] },
    { name: 'key', key: own.value, budgets: [organization, budgets.key] },
    { name: 'small', key: small.value, budgets: [organization, budgets.small] },
    { name: 'free', key: (await free.createKey()).value, budgets: [] },
    { name: 'free too', key: (await free.createKey()).value, budgets: [] },
  ];
  return { payers, organizations: [paying, free] };
}
