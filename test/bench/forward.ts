// The cost of the hop through a sidecar: requests to an egress gateway directly, and through a sidecar that forwards to
// it over mutual TLS; also a sidecar in full mode, which calls the vendor itself. A sidecar has a core for itself, as a
// pod would have at best. The egress gateway shares the other core with load and upstream in both cases, so its speed
// makes no difference.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, until } from '../support/process.ts';
import { createAuthority, type TestAuthority } from '../support/tls.ts';
import { canned } from './canned.ts';
import { type Cores, residentMiB, startPinned } from './cores.ts';
import type { BenchGateway, GatewaySubject } from './gateway.ts';
import { chatBody, type Measurement, measureWarm } from './load.ts';
import { inPasses } from './passes.ts';
import type { Spread } from './stats.ts';
import { putUnderStreams } from './streaming.ts';
import type { Subject, SubjectStarter } from './subjects.ts';

export interface ForwardCase {
  readonly name: string;
  /** The unit that perSecond counts. */
  readonly unit: 'requests' | 'tokens';
  /** By forwardKinds. */
  readonly subjects: Readonly<Record<string, Record<keyof Measurement, Spread>>>;
}

/** Resident MiB of a sidecar, by forwardKinds. */
export type IdleMemory = Readonly<Record<string, number>>;

export const forwardKinds = {
  direct: 'egress directly',
  forward: 'sidecar, forward',
  full: 'sidecar, full',
} as const;

export interface ForwardOptions {
  readonly gateway: BenchGateway;
  /** main.mjs of the proxy's bundle. */
  readonly main: string;
  readonly cores: Cores;
  readonly directory: string;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

const { model } = canned['gpt-provider'];

export async function measureForward(options: ForwardOptions) {
  return withSubjects(options, async (subjects) => {
    const cases: ForwardCase[] = [];
    for (const connections of [1, 32]) cases.push(await measureChat(connections, subjects, options));
    return { cases, idle: await measureIdle(subjects) };
  });
}

/** @param options with a gateway whose upstream streams */
export async function measureForwardedStreams(options: ForwardOptions): Promise<ForwardCase> {
  const { cores, seconds, warmUpSeconds } = options;
  const name = 'sidecar: 200 streams at once, a token each 5 ms';
  const load = { core: cores.load, model };
  return withSubjects(options, async (starters) => {
    const subjects = await inPasses(name, starters, async (subject) => {
      await putUnderStreams(subject, { ...load, seconds: warmUpSeconds });
      return putUnderStreams(subject, { ...load, seconds });
    });
    return { name, unit: 'tokens', subjects };
  });
}

async function measureChat(
  connections: number,
  starters: readonly SubjectStarter[],
  { cores, directory, seconds, warmUpSeconds }: ForwardOptions,
): Promise<ForwardCase> {
  const name = `sidecar: chat, body 1 KiB, ${connections} connection${connections === 1 ? '' : 's'}`;
  const body = chatBody(model, 1024);
  const bodyFile = join(directory, 'forward.json');
  writeFileSync(bodyFile, body);
  const load = { core: cores.load, connections, bodyFile, body, seconds, warmUpSeconds };
  const subjects = await inPasses(name, starters, (subject) => measureWarm(subject, load));
  return { name, unit: 'requests', subjects };
}

async function measureIdle(starters: readonly SubjectStarter[]): Promise<IdleMemory> {
  const idle: Record<string, number> = {};
  for (const { name, start } of starters.filter((one) => one.name !== forwardKinds.direct)) {
    const subject = await start();
    await sleep(5000); // idle memory is stable only after a while
    idle[name] = residentMiB(subject.pid);
    await subject.stop();
  }
  return idle;
}

async function withSubjects<T>(options: ForwardOptions, use: (subjects: readonly SubjectStarter[]) => Promise<T>) {
  const { gateway, cores } = options;
  const [servers, sidecars] = [await createAuthority('servers'), await createAuthority('sidecars')];
  const key = await gateway.createKey([]);
  const egressPort = await freePort();
  const egress = await startEgress(gateway, key, { port: egressPort, servers, sidecars });
  execFileSync('taskset', ['-apc', String(cores.load), String(egress.pid)], { stdio: 'ignore' });
  const forward = () => startForward(options, { key, servers, sidecars, egressPort });
  try {
    return await use([
      { name: forwardKinds.direct, start: async () => ({ ...egress, stop: async () => undefined }) },
      { name: forwardKinds.forward, start: forward },
      { name: forwardKinds.full, start: () => gateway.startProxy(key) },
    ]);
  } finally {
    await egress.stop();
    servers.remove();
    sidecars.remove();
  }
}

interface Ends {
  readonly servers: TestAuthority;
  readonly sidecars: TestAuthority;
}

async function startEgress(
  gateway: BenchGateway,
  key: string,
  { port, servers, sidecars }: Ends & { readonly port: number },
): Promise<GatewaySubject> {
  const { certFile, keyFile } = await servers.issue({ commonName: 'egress-gateway' });
  return gateway.startProxy(key, {
    GATEWAY_TLS_LISTEN: `127.0.0.1:${port}`,
    GATEWAY_TLS_CERT_FILE: certFile,
    GATEWAY_TLS_KEY_FILE: keyFile,
    GATEWAY_TLS_CLIENT_CA_FILE: sidecars.caFile,
  });
}

async function startForward(
  { main, cores, directory }: ForwardOptions,
  { key, servers, sidecars, egressPort }: Ends & { readonly key: string; readonly egressPort: number },
): Promise<Subject> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const { certFile, keyFile } = await sidecars.issue({ commonName: 'app' });
  const proxy = await startPinned(cores.subject, port, [process.execPath, main], {
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    GATEWAY_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
    GATEWAY_FORWARD_TO: `https://127.0.0.1:${egressPort}`,
    GATEWAY_FORWARD_CA_FILE: servers.caFile,
    GATEWAY_FORWARD_CERT_FILE: certFile,
    GATEWAY_FORWARD_KEY_FILE: keyFile,
    GATEWAY_ATTACH_KEY: key,
    GATEWAY_DRAIN_GRACE: '1s',
    GATEWAY_LOG_FILE: join(directory, 'sidecar.log'),
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
      (response) => response.ok,
      () => false, // not listening yet
    );
  await until(isReady, { what: 'the sidecar to be ready' });
  return { ...proxy, name: forwardKinds.forward, port, headers: { 'content-type': 'application/json' } };
}
