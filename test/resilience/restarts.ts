// Rolling restarts of every program under load, as a Deployment makes them: the new replica is ready first, then the old
// one leaves the Service, a moment later gets SIGTERM, and ends when its requests have. No call fails, no text is
// truncated, and the ledger has everything.
import { setTimeout as sleep } from 'node:timers/promises';
import { call as operate } from '../hostile/calls.ts';
import { Random } from '../support/access/random.ts';
import type { ServerSource } from '../support/containers.ts';
import { percentile } from '../support/figures.ts';
import { Pace } from '../support/pace.ts';
import { until } from '../support/process.ts';
import { readiness } from '../support/telemetry.ts';
import { faultsOfReading, type NamedCall } from './accounts.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { call, type Form } from './clients.ts';
import { faultsOfLedger } from './ledger.ts';
import { tallyOf } from './load.ts';
import type { Report } from './outage.ts';
import { type Program, startMs, startProgram, startWorld, type Tenant, type World } from './world.ts';

export interface RestartOptions {
  readonly rounds: number;
  /** Half of both call through sidecars, half keep connections to the egress gateway. */
  readonly callers: number;
  readonly streams: number;
  /** Between the end of a replica's endpoint, at the latest, and its SIGTERM. */
  readonly preStopMs: number;
  readonly seed: number;
  readonly source?: ServerSource;
  readonly log: (line: string) => void;
}

const grace = { GATEWAY_DRAIN_GRACE: '60s' };
const replicas = 2;

export async function runRestarts(options: RestartOptions): Promise<Report> {
  const world = await startWorld(options.source);
  try {
    return await restartUnderLoad(world, options);
  } finally {
    await world.close();
  }
}

async function restartUnderLoad(world: World, options: RestartOptions): Promise<Report> {
  const { rounds, log, seed } = options;
  const services = await openServices(world);
  const tenant = await world.createTenant('restarts', services.api.port);
  const { value: key } = await tenant.organization.createKey();
  const ended: string[] = [];
  const context: Context = { options, random: new Random(seed), onEnd: (fault) => void ended.push(fault) };
  const planes = await rolling(context, 'control plane', services.planes, () =>
    world.startControlPlane({ GATEWAY_DRAIN_GRACE: '10s' }),
  );
  // The first one made the organization; others serve from here on.
  services.planes.leave(world.controlPlane);
  const env = { ...grace, GATEWAY_CONTROL_PLANE: `127.0.0.1:${services.grpc.port}` };
  const proxies = await rolling(context, 'egress gateway', services.proxies, () => world.startProxy(env));
  const egress = `http://127.0.0.1:${services.traffic.port}`;
  const callers = new Callers(key, options);
  const direct = callers.start(egress);
  const pods = await rolling(context, 'sidecar', podService(callers), () => startSidecar(world, egress));
  const operators = startOperators(tenant, services.api.port);
  const pace = new Pace(() => [...planes.pids(), ...proxies.pids(), ...pods.pids()]);
  const begun = performance.now();
  for (let round = 1; round <= rounds; round++) {
    await Promise.all([planes.restart(), proxies.restart(), pods.restart()]);
    log(`${round} of ${rounds}: ${JSON.stringify(tallyOf(callers.calls.map(({ reading }) => reading)))}`);
  }
  const slowness = pace.factor(begun, performance.now());
  pace.stop();
  const operatorCalls = await operators.stop();
  await direct.stop();
  await pods.stop();
  await proxies.stop();
  const { calls } = callers;
  const faults = [...ended, ...operatorCalls.faults, ...faultsOf(calls)];
  faults.push(...(await faultsOfLedger(world, tenant, calls, services.api.port)));
  await planes.stop();
  return {
    lines: linesOf(calls, { services, operatorCalls: operatorCalls.count, rounds, slowness }),
    faults: [...new Set(faults)],
  };
}

function faultsOf(calls: readonly NamedCall[]): readonly string[] {
  return calls.flatMap((one) => {
    const { outcome } = one.reading;
    const failed = outcome === '200' ? [] : [`${one.name} failed: ${outcome}`];
    return [...failed, ...faultsOfReading(one).map((fault) => `${one.name} ${fault}`)];
  });
}

interface Lines {
  readonly services: Services;
  readonly operatorCalls: number;
  readonly rounds: number;
  readonly slowness: number;
}

function linesOf(calls: readonly NamedCall[], { services, operatorCalls, rounds, slowness }: Lines): readonly string[] {
  const of = (kind: string) => calls.filter(({ name }) => name.includes(kind));
  const line = (kind: string) => {
    const some = of(kind);
    const ms = some.map(({ reading }) => reading.ms);
    const tally = JSON.stringify(tallyOf(some.map(({ reading }) => reading)));
    return `${kind}: ${some.length} ${tally}, p50 ${percentile(ms, 0.5).toFixed(0)} ms, p99 ${percentile(ms, 0.99).toFixed(0)} ms`;
  };
  const { traffic, grpc, api } = services;
  return [
    `${rounds} rolling restarts of ${replicas} control planes, ${replicas} egress gateways and ${replicas} pods with a sidecar`,
    line('caller'),
    line('stream'),
    `operators' calls: ${operatorCalls}`,
    // Beyond about five, calls fail by the time limits of the gateway itself.
    `programs took ${slowness.toFixed(1)} times as long as on an idle machine`,
    `connections without an endpoint: traffic ${traffic.refused()}, gRPC ${grpc.refused()}, JSON API ${api.refused()}`,
  ];
}

/** Where a program's replicas receive connections. */
interface Service {
  join(program: Program): void;
  leave(program: Program): void;
}

interface Services {
  readonly traffic: Balancer;
  readonly grpc: Balancer;
  readonly api: Balancer;
  readonly planes: Service;
  readonly proxies: Service;
}

async function openServices(world: World): Promise<Services> {
  const [traffic, grpc, api] = [await startBalancer(), await startBalancer(), await startBalancer()];
  for (const balancer of [traffic, grpc, api]) world.onClose(() => balancer.stop());
  const planes: Service = {
    join: ({ ports }) => {
      grpc.add(ports.grpc_port ?? 0);
      api.add(ports.http_port ?? 0);
    },
    leave: ({ ports }) => {
      grpc.remove(ports.grpc_port ?? 0);
      api.remove(ports.http_port ?? 0);
    },
  };
  const proxies: Service = {
    join: ({ ports }) => traffic.add(ports.port ?? 0),
    leave: ({ ports }) => traffic.remove(ports.port ?? 0),
  };
  planes.join(world.controlPlane);
  return { traffic, grpc, api, planes, proxies };
}

interface Context {
  readonly options: RestartOptions;
  readonly random: Random;
  onEnd(fault: string): void;
}

interface Rolling {
  /** Replaces every replica, one after the other. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Of the running replicas. */
  pids(): readonly number[];
}

async function rolling(
  context: Context,
  name: string,
  service: Service,
  start: () => Promise<Program>,
): Promise<Rolling> {
  const running: Program[] = [];
  const leaving: Promise<void>[] = [];
  const join = async () => {
    const program = await start();
    await until(async () => (await readiness(program)) === 'ok', {
      timeoutMs: startMs,
      what: `the ${name} to be ready`,
    });
    service.join(program);
    running.push(program);
  };
  const leave = () => {
    const program = running.shift();
    if (program !== undefined) leaving.push(leaveService(context, { name, service, program }));
  };
  for (let replica = 0; replica < replicas; replica++) await join();
  return {
    restart: async () => {
      for (let replica = 0; replica < replicas; replica++) {
        await join();
        leave();
      }
    },
    stop: async () => {
      while (running.length > 0) leave();
      await Promise.all(leaving);
    },
    pids: () => running.map(({ child }) => child.pid),
  };
}

interface Leaving {
  readonly name: string;
  readonly service: Service;
  readonly program: Program;
}

/** The endpoint goes at some time between the deletion of the pod and its SIGTERM. */
async function leaveService({ options, random, onEnd }: Context, { name, service, program }: Leaving): Promise<void> {
  const { preStopMs } = options;
  const lagMs = random.between(0, 0.8 * preStopMs);
  await sleep(lagMs);
  service.leave(program);
  await sleep(preStopMs - lagMs);
  program.child.signal('SIGTERM');
  const code = await program.child.exited;
  if (code !== 0) onEnd(`a ${name} ended with ${code}: ${program.child.stderr().slice(-500)}`);
  const cut = program.child.stdout().match(/"msg":"cut: still open[^\n]*/g)?.length ?? 0;
  if (cut > 0) onEnd(`a ${name} cut ${cut} requests`);
}

async function startSidecar(world: World, egress: string): Promise<Program> {
  const sidecar = await startProgram('proxy/main.ts', {
    ...grace,
    GATEWAY_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_FORWARD_TO: egress,
  });
  world.onClose(() => sidecar.child.stop());
  return sidecar;
}

/** The app of a pod calls through its own sidecar, and makes no further calls when the pod ends. */
function podService(callers: Callers): Service {
  const apps = new Map<Program, Running>();
  return {
    join: (sidecar) => void apps.set(sidecar, callers.start(sidecar.url, replicas)),
    leave: (sidecar) => void apps.get(sidecar)?.stop(),
  };
}

interface Running {
  /** Makes no further calls; resolves when all have ended. */
  stop(): Promise<void>;
}

const pauseMs = { min: 20, max: 300 };
const streamPlan = { words: 20, pieceDelayMs: 200 };

class Callers {
  readonly calls: NamedCall[] = [];
  readonly #key: string;
  readonly #options: RestartOptions;
  #number = 0;

  constructor(key: string, options: RestartOptions) {
    this.#key = key;
    this.#options = options;
  }

  /** @param parts of the half of all callers */
  start(url: string, parts = 1): Running {
    const { callers, streams } = this.#options;
    let stopped = false;
    const loop = async (form: Form, kind: string, plan: object) => {
      const number = ++this.#number;
      const random = new Random(number);
      await sleep(random.between(0, 1_000));
      for (let count = 1; !stopped; count++) {
        await this.#call(url, form, { words: 10, ...plan, name: `${kind}-${number}-${count}` });
        await sleep(random.between(pauseMs.min, pauseMs.max));
      }
    };
    const some = (count: number) => Array.from({ length: Math.ceil(count / 2 / parts) }, (_, index) => index % 2 === 0);
    const loops = [
      ...some(callers).map((isEven) => loop(isEven ? 'chat' : 'messages', 'caller', {})),
      ...some(streams).map((isEven) => loop(isEven ? 'chat stream' : 'messages stream', 'stream', streamPlan)),
    ];
    return {
      stop: async () => {
        stopped = true;
        await Promise.all(loops);
      },
    };
  }

  async #call(url: string, form: Form, fields: { readonly words: number; readonly name: string }): Promise<void> {
    const plan = { ...fields, prompt: 5 + (this.calls.length % 40), completion: 20 + (this.calls.length % 30) };
    const reading = await call({ url, key: this.#key, model: 'fast', form, plan });
    this.calls.push({ name: plan.name, plan, reading });
  }
}

/** Each call has a connection of its own, as those of gatewayctl have. */
function startOperators({ organization }: Tenant, port: number) {
  const faults: string[] = [];
  const listener = { port, address: '127.0.0.1' };
  const body = JSON.stringify({ organizationId: organization.id, pageSize: 5 });
  const sent = { path: '/gateway.v1.VirtualKeys/List', key: organization.ownerToken, body, agent: false } as const;
  let count = 0;
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      count++;
      const outcome = await operate(listener, sent);
      if (outcome !== '200') faults.push(`an operator's call failed: ${outcome}`);
      await sleep(100);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return { count, faults };
    },
  };
}
