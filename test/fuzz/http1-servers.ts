// Requests that the engine accepts, as nginx and Go's net/http see them:
// node test/fuzz/http1-servers.ts --cases 100000 [--seed 1]
// It needs nginx and go.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLimit } from '../bench/nginx.ts';
import { Random } from '../support/access/random.ts';
import { echo, play, startNodeHttp } from '../support/http1-listener.ts';
import { lastRequest } from '../support/raw-requests.ts';
import { changedRequest } from './http1-request-forms.ts';
import { type RequestsReading, readByEngine } from './http1-requests-fuzz.ts';

const atATime = 16;
const quietMs = 300;

interface Peer {
  readonly name: string;
  readonly port: number;
  stop(): Promise<unknown>;
}

async function startGo(): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-fuzz-go-'));
  const program = join(directory, 'echo');
  const build = spawn('go', ['build', '-o', program, 'main.go'], {
    cwd: join(import.meta.dirname, 'http1-echo'),
    env: { ...process.env, GOCACHE: join(directory, 'cache'), GO111MODULE: 'off' },
    stdio: 'inherit',
  });
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new Error('the Go program was not built');
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  };
  return { name: "Go's net/http", port: Number(line.toString()), stop };
}

interface SeenByPeer {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

function seenIn(text: string): readonly SeenByPeer[] {
  // Nothing that is sent contains a brace but the body, whose quotes are escaped.
  return [...text.matchAll(/^\{"(?:method|body)":.*?"\}(?=HTTP\/1\.1 |$)/gm)].map(([json]) => JSON.parse(json));
}

function shown(requests: readonly SeenByPeer[]): string {
  return JSON.stringify(requests.map(({ method, target, body }) => [method, target, body]));
}

async function playCase(bytes: string, { requests }: RequestsReading, peer: Peer): Promise<'the same' | 'refused'> {
  const { text } = await play(peer.port, [bytes + lastRequest], { quietMs });
  const seen = seenIn(text);
  const expected = requests.slice(0, seen.length);
  const behind = seen.at(-1);
  // The last request shows that the end of those before was seen where the engine saw it.
  if (seen.length === requests.length + 1 && behind?.target === '/last') expected.push({ ...behind, headers: [] });
  if (shown(seen) === shown(expected)) return seen.length > requests.length ? 'the same' : 'refused';
  throw new Error(`${peer.name} sees something else:\n${JSON.stringify({ bytes, requests, text }, undefined, 1)}`);
}

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const end = Number(values.seed) + Number(values.cases);
const upstream = await startNodeHttp(echo);
const nginx = await startLimit(0, upstream.port);
const peers: readonly Peer[] = [{ name: 'nginx', port: nginx.port, stop: () => nginx.stop() }, await startGo()];
const outcomes = new Map<string, number>();
let next = Number(values.seed);
const worker = async () => {
  for (let number = next++; number < end; number = next++) {
    const text = changedRequest(new Random(number));
    const reading = readByEngine(Buffer.from(text, 'latin1'));
    // Without what the engine left to another parser, or did not see the end of.
    if (reading.ending !== 'whole' || reading.requests.length === 0 || /^connection: close\r$/im.test(text)) continue;
    for (const peer of peers) {
      const outcome = `${peer.name}: ${await playCase(text, reading, peer)}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
};
try {
  await Promise.all(Array.from({ length: atATime }, worker));
  for (const [outcome, count] of [...outcomes].sort()) console.log(`${count}\t${outcome}`);
} finally {
  for (const peer of peers) await peer.stop();
  await upstream.close();
}
