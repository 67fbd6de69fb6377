// The sidecar as the injector puts it into a pod, in its own container, beside an unmodified application that has only
// the injector's settings. Control plane, egress gateway and injector run from their images; the vendor is simulated.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { isolation } from '../support/container.ts';
import { chatBody } from '../support/gateway.ts';
import { pointedAt, sidecarOf, type TestContainer, type TestPod } from '../support/injection.ts';
import { environmentOf } from '../support/pod.ts';
import { type Child, freePort, projectRoot, startProcess, until } from '../support/process.ts';
import { reviewOf } from '../support/reviews.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.close());

/** A running pod: its app and its sidecar. */
interface Running {
  readonly pod: TestPod;
  readonly sidecar: Child;
  readonly app: TestContainer;
  readonly url: string;
  readonly startMs: number;
}

const modes = ['forward', 'full'] as const;

describe.each(modes)(`a sidecar in mode %s, in ${isolation}`, (mode) => {
  let running: Running;
  let key: { readonly id: string; readonly value: string };

  beforeAll(async () => {
    key = await cluster.createKey();
    cluster.secrets.set('model-gateway-key', { 'virtual-key': `${key.value}\n` });
    running = await start(mode);
    const { startMs, sidecar } = running;
    console.log(`sidecar, ${mode}: responds to /livez after ${Math.round(startMs)} ms, ${residentMiB(sidecar)} MiB`);
  });
  beforeEach(() => cluster.simulator.reset());
  afterAll(() => running.sidecar.stop());

  it('gives an unconfigured OpenAI SDK its response, whole and streamed', async () => {
    const { whole, pieces } = await runApp(running);
    expect(whole).toContain('gpt-4o-mini');
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(whole);
    expect(cluster.simulator.requests).toHaveLength(2);
  });

  it('gives unconfigured SDKs of two other vendors their response', async () => {
    const { messages, generateContent } = await runScript<Record<string, string>>(running, 'other-sdks.mjs');
    expect(messages).toContain('gpt-4o-mini');
    expect(generateContent).toBe(messages);
    expect(JSON.stringify(cluster.simulator.requests)).not.toContain('attached-by-model-gateway');
  });

  it('leaves the app without a credential, and has none in its environment that the mode does not need', () => {
    const app = environmentOf(running.app, cluster.secrets);
    const secrets = [key.value, ...cluster.confidential];
    expect(secrets.filter((secret) => JSON.stringify(app).includes(secret))).toEqual([]);
    expect(app).toMatchObject(pointedAt(Number(new URL(running.url).port)));
    const sidecar = JSON.stringify(environmentOf(sidecarOf(running.pod), cluster.secrets));
    expect(sidecar).not.toContain(key.value);
    if (mode === 'forward') expect(secrets.filter((secret) => sidecar.includes(secret))).toEqual([]);
    const mounts = running.app.volumeMounts as { readonly name: string }[] | undefined;
    expect(mounts?.filter(({ name }) => name.startsWith('model-gateway')) ?? []).toEqual([]);
  });

  it("sends the vendor the organization’s key, never the SDK's", async () => {
    await runApp(running);
    for (const { headers } of cluster.simulator.requests) {
      expect(JSON.stringify(headers)).not.toContain('attached-by-model-gateway');
      expect(JSON.stringify(headers)).not.toContain(key.value);
    }
  });

  it('has the user, capabilities and root of a container, or those of a process', () => {
    const unprivileged = { user: 65_532, capabilities: 0n, privilegesGrow: false, rootIsWritable: false };
    expect(privilegesOf(running.sidecar.pid)).toEqual(
      isolation === 'a container' ? unprivileged : privilegesOf(process.pid),
    );
  });

  it.each(['startupProbe', 'livenessProbe'])('responds to its %s where the pod declares it', async (name) => {
    expect((await fetch(probeUrl(running.pod, name))).status).toBe(200);
  });

  it('attaches a key that is rotated in the Secret soon, without a restart', async () => {
    const rotated = await cluster.createKey();
    await cluster.revokeKey(key.id);
    await until(async () => (await ask(running)).status === 401, { what: 'the old key to be refused' });
    cluster.secrets.set('model-gateway-key', { 'virtual-key': rotated.value });
    const started = performance.now();
    await until(async () => (await ask(running)).status === 200, {
      what: 'the new key to be attached',
    });
    console.log(`sidecar, ${mode}: a rotated key is attached after ${Math.round(performance.now() - started)} ms`);
    key = rotated;
  });

  it('finishes a stream that is open when the pod is ended, and then exits with 0', async () => {
    const ending = await start(mode);
    cluster.simulator.script({ tokens: 40, pieceDelayMs: 25 });
    const response = await ask(ending, { stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    ending.sidecar.signal('SIGTERM');
    let text = first?.value ?? '';
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
    expect(text.match(/"content":/g)?.length).toBeGreaterThanOrEqual(40);
    expect(text).toMatch(/data: \[DONE\]\s*$/);
    expect(await ending.sidecar.exited).toBe(0);
    await expect(ask(ending)).rejects.toThrow();
  });
});

/** Admits a pod on free ports and starts its sidecar. */
async function start(mode: (typeof modes)[number]): Promise<Running> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const pod = await cluster.admit(reviewOf('deployment'), {
    'model-gateway.io/inject': 'true',
    'model-gateway.io/mode': mode,
    'model-gateway.io/port': String(port),
    'model-gateway.io/admin-port': String(adminPort),
  });
  const [app] = pod.spec.containers;
  if (app === undefined) throw new Error('the pod has no app');
  const started = performance.now();
  // A sidecar in full mode calls the vendor itself, so it needs the address of the simulated one.
  const sidecar = await cluster.startSidecar(pod, mode === 'full' ? cluster.vendor : {});
  await until(async () => (await fetch(probeUrl(pod, 'startupProbe'))).ok, { what: 'the startup probe' });
  return { pod, sidecar, app, url: `http://127.0.0.1:${port}`, startMs: performance.now() - started };
}

function probeUrl(pod: TestPod, name: string): string {
  const { httpGet } = sidecarOf(pod)[name] as { httpGet: { path: string; port: number } };
  return `http://127.0.0.1:${httpGet.port}${httpGet.path}`;
}

/** With exactly the environment of the app's container. */
function runApp(running: Running): Promise<{ whole: string; pieces: readonly string[] }> {
  return runScript(running, 'app.mjs');
}

/** @returns what the script prints, which is JSON */
async function runScript<T>({ app }: Running, name: string): Promise<T> {
  const variables = Object.entries(environmentOf(app, cluster.secrets)).map(([name, value]) => `${name}=${value}`);
  const script = `${projectRoot}test/integration/sidecar/${name}`;
  const child = startProcess('env', ['-i', ...variables, process.execPath, script]);
  expect(await child.exited, child.stderr()).toBe(0);
  return JSON.parse(child.stdout());
}

/** As an app without a credential. */
function ask({ url }: Running, fields: object = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer attached-by-model-gateway' };
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: chatBody(fields) });
}

function privilegesOf(pid: number) {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(read('status'))?.[1];
  const [, options = ''] = / \/ (r[ow])[, ]/.exec(read('mountinfo')) ?? [];
  return {
    user: Number(field('Uid')),
    capabilities: BigInt(`0x${field('CapPrm')}`) | BigInt(`0x${field('CapBnd')}`),
    privilegesGrow: field('NoNewPrivs') === '0',
    rootIsWritable: options === 'rw',
  };
}

/** NaN where there is no /proc. */
function residentMiB({ pid }: Child): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}
