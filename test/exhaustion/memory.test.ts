// Memory near its limit: a proxy as in a container of 512 MiB receives many large bodies at once. It accepts as many as
// it has room for, refuses the others, is never killed, and serves normally afterwards.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatBody } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

const mebi = 1024 * 1024;
const limitBytes = 512 * mebi;

interface Container {
  readonly within: readonly string[];
  readonly nodeArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** A cgroup whose members are killed by the kernel above the limit, if this user may create one. */
function openContainer(): Container {
  const [root, file] = existsSync('/sys/fs/cgroup/memory/cgroup.procs')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max'];
  const group = join(root, `model-gateway-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, file), String(limitBytes));
    return {
      within: ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh'],
      nodeArgs: [],
      env: {},
      remove: () => rmdirSync(group),
    };
  } catch {
    if (existsSync(group)) rmdirSync(group);
    // Without a cgroup, Node and the proxy get the limits that they would read from it, and their memory is measured.
    return {
      within: [],
      nodeArgs: ['--max-old-space-size=256'],
      env: { GATEWAY_BUFFERED_BYTES_MAX: String(limitBytes / 8) },
      remove: () => undefined,
    };
  }
}

const container = openContainer();
let world: World;
let proxy: Program;
beforeAll(async () => {
  world = await startWorld();
  const { env, within, nodeArgs } = container;
  // Limits for a busy machine, whose callers send slowly.
  const patient = { GATEWAY_BODY_GRACE: '60s', GATEWAY_BODY_RATE_MIN: '1KiB' };
  proxy = await world.startProxy({ ...env, ...patient }, { within, nodeArgs });
}, startMs);
afterAll(async () => {
  await world?.close();
  container.remove();
});

/** Peak of the resident memory. */
function peakBytes(): number {
  const status = readFileSync(`/proc/${proxy.child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/**
 * Bodies of some megabytes: an image as data, which is sent on unchanged, and many messages, which are more than the
 * model takes.
 */
const bodies = {
  image: {
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${'iVBORw0KGgoA'.repeat(400_000)}` },
          },
        ],
      },
    ],
  },
  messages: {
    messages: Array.from({ length: 20_000 }, () => ({ role: 'user', content: 'x'.repeat(300) })),
  },
};

const written = Object.fromEntries(
  Object.entries(bodies).map(([name, fields]) => [name, Buffer.from(chatBody(fields))]),
) as Record<keyof typeof bodies, Buffer>;

/** As ask, with a body that is already serialized. */
const send = (key: string, body: Buffer) =>
  new Promise<string>((resolve) => {
    const headers = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      'content-length': body.length,
    };
    const url = `${proxy.url}/v1/chat/completions`;
    const sent = request(url, { agent: false, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => resolve('cut'));
      response.on('end', () => {
        const { error } = JSON.parse(Buffer.concat(chunks).toString());
        resolve(error === undefined ? '200' : `${response.statusCode} ${error.code}`);
      });
    });
    sent.on('error', () => resolve('cut'));
    sent.end(body);
  });

it(
  'large bodies beyond the available memory are refused, and the proxy is not killed',
  async () => {
    const { organization, simulator } = world;
    const { value: key } = await organization.createKey();
    expect(await ask(proxy, key)).toBe('200');
    // The vendor delays the accepted requests for a while.
    simulator.script({ headDelayMs: 2_000 }, { times: Number.POSITIVE_INFINITY });
    const outcomes = await Promise.all(
      Array.from({ length: 80 }, (_, nth) => send(key, nth % 4 === 0 ? written.messages : written.image)),
    );
    simulator.reset();
    expect(await Promise.race([proxy.child.exited, sleep(100, 'runs')])).toBe('runs');
    // Logged for comparison with the threshold of the memory alert.
    const peak = peakBytes();
    console.log(`at most ${Math.round(peak / mebi)} of ${limitBytes / mebi} MiB were resident`);
    // The kernel kills processes above the limit.
    expect(peak).toBeLessThan(limitBytes);
    const ofEach = Object.groupBy(outcomes, (outcome) => outcome);
    expect(Object.keys(ofEach)).toEqual(expect.arrayContaining(['200', '503 overloaded']));
    const allowed = ['200', '503 overloaded', '400 context_length_exceeded', 'cut'];
    expect(outcomes.filter((outcome) => !allowed.includes(outcome))).toEqual([]);
    expect(await readiness(proxy)).toBe('ok');
    await until(async () => (await metric(proxy, 'gateway_buffered_bytes')) === 0);
    expect(await ask(proxy, key)).toBe('200');
    await until(async () => (await recorded(organization)) >= 2 + (ofEach['200']?.length ?? 0));
    expect(await proxy.child.stop()).toBe(0);
  },
  startMs,
);
