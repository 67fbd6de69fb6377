// A gateway of programs as in production, with a simulated vendor. A test limits a program's resources by a prefix of
// its command, a flag of Node or a process limit.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import type { OperatorApi } from '../../quickstart/operator-api.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import {
  bootstrap,
  chatRequest,
  type Environment,
  newOrganization,
  type PlaneOptions,
  startPlane,
  type TestOrganization,
} from '../support/gateway.ts';
import { type Child, until } from '../support/process.ts';
import { type LogLine, readiness } from '../support/telemetry.ts';
import { vendorSettings } from '../support/vendors.ts';

export interface Program {
  readonly child: Child;
  /** Fields of the log line "ready". */
  readonly ports: Readonly<Record<string, number>>;
  readonly url: string;
  readonly adminUrl: string;
  /** Lines of its log on standard output. */
  lines(): readonly LogLine[];
}

export interface World {
  readonly simulator: Simulator;
  readonly controlPlane: Program;
  readonly platform: OperatorApi;
  readonly organization: TestOrganization;
  readonly proxyToken: string;
  startProxy(env?: Environment, options?: PlaneOptions): Promise<Program>;
  close(): Promise<void>;
}

export interface Plane {
  readonly env?: Environment;
  readonly options?: PlaneOptions;
}

const anyPort = '127.0.0.1:0';
/** A busy machine starts programs slowly. */
export const startMs = 180_000;

export async function startProgram(main: string, env: Environment, options: PlaneOptions = {}): Promise<Program> {
  const { child, line: ports } = await startPlane(main, env, { timeoutMs: startMs, ...options });
  return {
    ...{ child, ports },
    url: `http://127.0.0.1:${ports.port ?? ports.http_port}`,
    adminUrl: `http://127.0.0.1:${ports.admin_port}`,
    lines: () =>
      child
        .stdout()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as LogLine),
  };
}

/** Starts a control plane, in memory unless its environment says otherwise, without a proxy. */
export async function startWorld(plane: Plane = {}): Promise<World> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    const bootstrapToken = createCredential('bootstrap');
    const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
    closers.push(() => simulator.close());
    const vendors = vendorSettings(simulator.baseUrls, simulator.port);
    const controlPlane = await startControlPlane(
      {
        GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
        GATEWAY_PRIVATE_UPSTREAMS: vendors.GATEWAY_PRIVATE_UPSTREAMS,
      },
      plane,
    );
    closers.push(() => controlPlane.child.stop());
    const httpPort = controlPlane.ports.http_port ?? 0;
    const { platform, proxyToken } = await bootstrap(httpPort, bootstrapToken);
    const cacheKey = createSealKey();
    const startProxy: World['startProxy'] = async (env = {}, options = {}) => {
      const proxy = await startProgram(
        'proxy/main.ts',
        {
          GATEWAY_LISTEN: anyPort,
          GATEWAY_ADMIN_LISTEN: anyPort,
          GATEWAY_CONTROL_PLANE: `127.0.0.1:${controlPlane.ports.grpc_port}`,
          GATEWAY_PROXY_TOKEN: proxyToken,
          GATEWAY_CACHE_KEY: cacheKey,
          GATEWAY_ORGANIZATION_SHARE: '100',
          GATEWAY_DRAIN_GRACE: '2s',
          ...vendors,
          ...env,
        },
        options,
      );
      closers.push(() => proxy.child.stop());
      await until(async () => (await readiness(proxy)) === 'ok', { what: 'the proxy', timeoutMs: startMs });
      return proxy;
    };
    const organization = await newOrganization(platform, httpPort, 'acme');
    return { simulator, controlPlane, platform, organization, proxyToken, startProxy, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startControlPlane(given: Environment, { env = {}, options }: Plane = {}): Promise<Program> {
  return startProgram(
    'control-plane/main.ts',
    {
      GATEWAY_GRPC_LISTEN: anyPort,
      GATEWAY_HTTP_LISTEN: anyPort,
      GATEWAY_ADMIN_LISTEN: anyPort,
      GATEWAY_DATABASE_URL: 'sqlite::memory:',
      GATEWAY_MASTER_KEY: createSealKey(),
      ...given,
      ...env,
    },
    options,
  );
}

/** Furthest distance to which a test sets a clock. */
const days = 5 * 86_400_000;

/** Number of successful requests in the ledger of the organization, within this time of now. */
export async function recorded({ api, id }: TestOrganization, withinMs = days): Promise<number> {
  const [from, to] = [-withinMs, withinMs].map((ms) => new Date(Date.now() + ms).toISOString());
  const { totals } = (await api.call('Usage/Totals', { organizationId: id, from, to })) as {
    totals: readonly { readonly requests: string; readonly failedRequests: string }[];
  };
  const [all] = totals;
  return Number(all?.requests ?? 0) - Number(all?.failedRequests ?? 0);
}

/**
 * Changes a limit of a running program (util-linux), as its own user; only the soft limit, so that it can be restored.
 * @returns the limit before
 */
export function limit({ child }: Pick<Program, 'child'>, what: 'nofile' | 'nproc', max: number | string): string {
  const { uid, gid } = statSync(`/proc/${child.pid}`);
  const prlimit = (...args: string[]) =>
    execFileSync('prlimit', ['--pid', String(child.pid), ...args], { uid, gid, encoding: 'utf8' });
  const before = prlimit(`--${what}`, '--output=SOFT', '--noheadings', '--raw').trim();
  prlimit(`--${what}=${max}:`);
  return before;
}

/** Status and code of a chat response, such as "200" or "503 overloaded"; "cut" if the connection was cut. */
export async function ask(proxy: Pick<Program, 'url'>, key: string, fields: object = {}): Promise<string> {
  try {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      ...chatRequest(key, fields),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return response.ok ? '200' : `${response.status} ${JSON.parse(text).error.code}`;
  } catch (error) {
    return error instanceof DOMException ? 'silent' : 'cut';
  }
}
