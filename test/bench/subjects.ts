// The measured subjects, each started fresh and alone on its core: the gateway and its yardsticks.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/process.ts';
import { type Cores, startPinned } from './cores.ts';
import { startLimit } from './nginx.ts';

export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Headers that callers send. */
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface SubjectStarter<S extends Subject = Subject> {
  readonly name: string;
  start(): Promise<S>;
}

const json = { 'content-type': 'application/json' };

/** nginx as reverse proxy. */
export function limit(cores: Cores, upstreamPort: number): SubjectStarter {
  const start = async () => {
    const nginx = await startLimit(cores.subject, upstreamPort);
    return { ...nginx, name: 'limit', headers: json };
  };
  return { name: 'limit', start };
}

/** bare.ts */
export function bare(cores: Cores, upstreamPort: number): SubjectStarter {
  const start = async () => {
    const port = await freePort();
    const program = [process.execPath, join(import.meta.dirname, 'bare.ts'), String(port)];
    const started = await startPinned(cores.subject, port, [...program, `http://127.0.0.1:${upstreamPort}`]);
    return { ...started, name: 'bare', port, headers: json };
  };
  return { name: 'bare', start };
}

const peerVersion = '1.15.2';

/** @portkey-ai/gateway, installed into a temporary folder. It checks no key. */
export function peer(cores: Cores, upstreamPort: number): SubjectStarter {
  const program = installPeer();
  const upstream = `http://127.0.0.1:${upstreamPort}/v1`;
  const start = async () => {
    const port = await freePort();
    const command = [process.execPath, program, `--port=${port}`, '--headless'];
    const env = { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' };
    const started = await startPinned(cores.subject, port, command, env);
    const headers = { ...json, authorization: 'Bearer sk-bench', 'x-portkey-provider': 'openai' };
    return { ...started, name: 'peer', port, headers: { ...headers, 'x-portkey-custom-host': upstream } };
  };
  return { name: 'peer', start };
}

function installPeer(): string {
  const directory = join(tmpdir(), `gateway-bench-peer-${peerVersion}`);
  mkdirSync(directory, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', '--prefix', directory, ...flags, `@portkey-ai/gateway@${peerVersion}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('the peer could not be installed; run without --peer');
  return join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');
}
