// The programs of a chaos run: control planes and proxies with mutual TLS between them, and sidecars in forward mode in
// front of the proxies. Every connection between two of them passes through a network that can fail.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSealKey } from '../../common/seal.ts';
import { startMs } from '../resilience/world.ts';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import type { Environment } from '../support/gateway.ts';
import { freePort, until } from '../support/process.ts';
import { onSmallDisk } from '../support/small-disk.ts';
import { readiness } from '../support/telemetry.ts';
import { type Authority, certificateSeat } from './certificates.ts';
import { Program } from './ledger.programs.ts';
import { diskSeat, linkSeat, preload, programSeat, type Seat, strikesFile } from './seats.ts';
import { type Closers, link } from './servers.ts';

export interface ProxyOfChaos {
  readonly name: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly program: Program;
}

type Seats = Record<string, Seat>;

/** How long proxies serve the records that they have without a control plane. */
export const maxStaleMs = 60_000;

const names = { controlPlane: 'control-plane.chaos', proxy: 'proxy.chaos', app: 'app.chaos' } as const;

/** Two authorities, as in production: a certificate of the second one is no proxy's. */
export interface Authorities {
  /** Of control planes and proxies. */
  readonly planes: Authority;
  /** Of sidecars. */
  readonly sidecars: Authority;
}

interface ControlPlaneOptions {
  readonly controlPlanes: number;
  readonly authorities: Authorities;
  readonly environment: Environment;
}

export interface ControlPlanes {
  /** Of their gRPC listeners. */
  readonly links: readonly Forwarder[];
  /** Of their JSON API, in plain text: TLS begins behind them. */
  readonly operatorPorts: readonly number[];
  readonly programs: readonly Program[];
  readonly seats: Seats;
}

export async function startControlPlanes(
  { controlPlanes, authorities, environment }: ControlPlaneOptions,
  closers: Closers,
): Promise<ControlPlanes> {
  const { planes } = authorities;
  const links: Forwarder[] = [];
  const operatorPorts: number[] = [];
  const programs: Program[] = [];
  const seats: Seats = {};
  const tls = { ca: readFileSync(planes.caFile), servername: names.controlPlane };
  for (let number = 1; number <= controlPlanes; number++) {
    const ports = { grpc: await freePort(), http: await freePort() };
    const certificate = await planes.issue(names.controlPlane);
    const name = `control plane ${number}`;
    const started = await startProgram({ name, main: 'control-plane/main.ts', closers }, () => ({
      ...environment,
      GATEWAY_GRPC_LISTEN: `127.0.0.1:${ports.grpc}`,
      GATEWAY_HTTP_LISTEN: `127.0.0.1:${ports.http}`,
      GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
      GATEWAY_TLS_CERT_FILE: certificate.certFile,
      GATEWAY_TLS_KEY_FILE: certificate.keyFile,
      GATEWAY_TLS_CLIENT_CA_FILE: planes.caFile,
      GATEWAY_PROXY_CERTIFICATES: names.proxy,
    }));
    const network = await link(ports.grpc, closers);
    const operators = await startForwarder({ port: ports.http, tls });
    closers.push(() => operators.stop());
    links.push(network);
    operatorPorts.push(operators.port);
    const { program } = started;
    programs.push(program);
    seats[name] = { ...started.seat, ...certificateSeat({ program, certificate, links: [network, operators] }) };
    seats[`network of ${name}`] = linkSeat([network]);
  }
  return { links, operatorPorts, programs, seats };
}

interface ProxyOptions {
  readonly proxies: number;
  readonly disk: boolean;
  readonly sidecars: number;
  readonly authorities: Authorities;
  readonly controlPlanes: readonly Forwarder[];
  readonly environment: Environment;
}

const diskKibibytes = 4_096;

export interface Proxies {
  readonly proxies: readonly ProxyOfChaos[];
  /** Each in front of one proxy. */
  readonly sidecars: readonly ProxyOfChaos[];
  readonly seats: Seats;
}

export async function startProxies(options: ProxyOptions, closers: Closers): Promise<Proxies> {
  const proxies: ProxyOfChaos[] = [];
  const sidecars: ProxyOfChaos[] = [];
  const seats: Seats = {};
  const cacheKey = createSealKey();
  for (let number = 1; number <= options.proxies; number++) {
    const tlsPort = await freePort();
    const network = await link(tlsPort, closers);
    const proxy = await startOneProxy(options, { number, cacheKey, tlsPort, network }, closers);
    proxies.push(proxy.started);
    seats[proxy.started.name] = proxy.seat;
    if (number > options.sidecars) continue;
    const sidecar = await startSidecar(options, { number, network }, closers);
    sidecars.push(sidecar.started);
    seats[sidecar.started.name] = sidecar.seat;
    seats[`network of ${sidecar.started.name}`] = linkSeat([network]);
  }
  return { proxies, sidecars, seats };
}

interface ProxySpec {
  readonly number: number;
  readonly cacheKey: string;
  /** Of its listener for sidecars, and the network before it. */
  readonly tlsPort: number;
  readonly network: Forwarder;
}

async function startOneProxy(
  { proxies, disk, authorities, controlPlanes, environment }: ProxyOptions,
  { number, cacheKey, tlsPort, network }: ProxySpec,
  closers: Closers,
) {
  const { planes, sidecars } = authorities;
  const certificate = await planes.issue(names.proxy);
  const journal = mkdtempSync(join(tmpdir(), 'gateway-chaos-journal-'));
  closers.push(() => rmSync(journal, { recursive: true, force: true }));
  const hasDisk = disk && number === proxies;
  const within = hasDisk ? { within: onSmallDisk({ folder: journal, kibibytes: diskKibibytes }) } : {};
  const started = await startTraffic(
    { name: `proxy ${number}`, closers, ...within },
    {
      ...environment,
      GATEWAY_CONTROL_PLANE: controlPlanes.map(({ port }) => `127.0.0.1:${port}`).join(','),
      GATEWAY_CONTROL_PLANE_TLS: 'true',
      GATEWAY_CONTROL_PLANE_NAME: names.controlPlane,
      GATEWAY_CONTROL_PLANE_CA_FILE: planes.caFile,
      GATEWAY_CONTROL_PLANE_CERT_FILE: certificate.certFile,
      GATEWAY_CONTROL_PLANE_KEY_FILE: certificate.keyFile,
      GATEWAY_TLS_LISTEN: `127.0.0.1:${tlsPort}`,
      GATEWAY_TLS_CERT_FILE: certificate.certFile,
      GATEWAY_TLS_KEY_FILE: certificate.keyFile,
      GATEWAY_TLS_CLIENT_CA_FILE: sidecars.caFile,
      GATEWAY_ACCESS_MAX_STALE: `${maxStaleMs / 1_000}s`,
      GATEWAY_CACHE_KEY: cacheKey,
      GATEWAY_JOURNAL_DIR: journal,
      GATEWAY_ORGANIZATION_SHARE: '100',
    },
  );
  const { program } = started.started;
  const { kill, ...others } = started.seat;
  // Its disk would be gone with it.
  const ending = hasDisk ? diskSeat(program, journal) : { ...(kill && { kill }) };
  // Its client of the control plane and its listener for sidecars.
  const expiring = certificateSeat({ program, certificate, links: [...controlPlanes, network], readers: 2 });
  return { started: started.started, seat: { ...others, ...ending, ...expiring } };
}

async function startSidecar(
  { authorities }: ProxyOptions,
  { number, network }: Pick<ProxySpec, 'number' | 'network'>,
  closers: Closers,
) {
  const certificate = await authorities.sidecars.issue(names.app);
  const { started, seat } = await startTraffic(
    { name: `sidecar ${number}`, closers },
    {
      GATEWAY_FORWARD_TO: `https://127.0.0.1:${network.port}`,
      GATEWAY_FORWARD_CA_FILE: authorities.planes.caFile,
      GATEWAY_FORWARD_CERT_FILE: certificate.certFile,
      GATEWAY_FORWARD_KEY_FILE: certificate.keyFile,
    },
  );
  const expiring = certificateSeat({ program: started.program, certificate, links: [network] });
  return { started, seat: { ...seat, ...expiring } };
}

interface Start {
  readonly name: string;
  readonly closers: Closers;
  /** A prefix of its command. */
  readonly within?: readonly string[];
}

/** Starts a program that serves callers. @returns it when it is ready */
async function startTraffic(start: Start, environment: Environment) {
  const ports = { traffic: await freePort(), admin: await freePort() };
  const { program, seat } = await startProgram({ ...start, main: 'proxy/main.ts' }, () => ({
    ...environment,
    GATEWAY_LISTEN: `127.0.0.1:${ports.traffic}`,
    GATEWAY_ADMIN_LISTEN: `127.0.0.1:${ports.admin}`,
  }));
  const started: ProxyOfChaos = {
    ...{ name: start.name, program },
    url: `http://127.0.0.1:${ports.traffic}`,
    adminUrl: `http://127.0.0.1:${ports.admin}`,
  };
  await until(async () => (await readiness(started)) === 'ok', {
    timeoutMs: startMs,
    what: `${start.name} to be ready`,
  });
  return { started, seat };
}

async function startProgram(
  { name, main, closers, within }: Start & { readonly main: string },
  environment: () => Environment,
) {
  const strikes = strikesFile();
  const program = new Program(name, main, () => ({ ...environment(), STRIKES: strikes.path }), {
    nodeArgs: ['--import', preload],
    ...(within && { within }),
  });
  closers.push(strikes.remove, () => program.kill());
  await program.restart();
  return { program, seat: programSeat(program, strikes) };
}
