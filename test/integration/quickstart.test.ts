// `npm start` as a newcomer runs it: the printed commands work when pasted, and a failure is one helpful line.
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBlackHole } from '../support/black-hole.ts';
import { type Child, startNode, startProcess, until } from '../support/process.ts';

let folder: string;
const running: Child[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
});
afterEach(async () => {
  for (const child of running.splice(0)) await child.stop();
  rmSync(folder, { recursive: true });
});

const freePorts = {
  GATEWAY_LISTEN: '127.0.0.1:0',
  GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
  GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
  GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
};

function start(env: Record<string, string> = {}): Child {
  const child = startNode(['quickstart/main.ts'], {
    env: { ...freePorts, GATEWAY_DATA_DIR: folder, ...env },
  });
  running.push(child);
  return child;
}

/** Waits for the greeting. */
async function greeted(child: Child): Promise<string> {
  await until(() => child.stdout().includes('Ctrl-C'), {
    what: `the greeting; ${child.stderr()}`,
  });
  return child.stdout();
}

/** Runs a printed line in a shell, as if it were pasted. */
async function paste(line: string): Promise<{ readonly [field: string]: unknown }> {
  const shell = startProcess('bash', ['-c', line]);
  expect(await shell.exited).toBe(0);
  return JSON.parse(shell.stdout()) as { [field: string]: unknown };
}

const lineWith = (text: string, part: string) => text.split('\n').find((line) => line.includes(part)) ?? '';

interface FirstRun {
  readonly folder: string;
  readonly greeting: string;
  /** Responses to its printed lines. */
  readonly chat: object;
  readonly callerKeys: object;
  readonly code: number | string;
  readonly stderr: string;
  /** How long it took to stop, although clients had idle connections to both planes. */
  readonly stopMs: number;
}

/** A run in a new folder, to its orderly end. */
async function firstRun(): Promise<FirstRun> {
  const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
  const child = start({ GATEWAY_DATA_DIR: folder });
  const greeting = await greeted(child);
  const chat = await paste(lineWith(greeting, 'chat/completions'));
  const callerKeys = await paste(lineWith(greeting, 'callerProviderKeys'));
  for (const url of urlsIn(greeting)) await keepIdle(url);
  const began = performance.now();
  const code = await child.stop('SIGINT');
  return { folder, greeting, chat, callerKeys, code, stderr: child.stderr(), stopMs: performance.now() - began };
}

/** Of the proxy and of the JSON API. */
function urlsIn(greeting: string): readonly string[] {
  const urls = [/http:\/\/127\.0\.0\.1:\d+(?=\/v1)/, /http:\/\/127\.0\.0\.1:\d+(?=\/gateway\.v1)/].map(
    (form) => form.exec(greeting)?.[0] ?? '',
  );
  expect(new Set(urls).size).toBe(2);
  return urls;
}

/** The client keeps its connection after the response, for seconds. */
async function keepIdle(url: string): Promise<void> {
  await (await fetch(`${url}/unknown`)).text();
}

describe('npm start', () => {
  let first: FirstRun;
  beforeAll(async () => {
    first = await firstRun();
  });
  afterAll(() => rmSync(first.folder, { recursive: true }));

  it('leads to the first response by pasting the printed line, and shows each secret once', async () => {
    const { greeting, chat: response } = first;
    expect(greeting).toContain('simulator');
    expect(response).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant' } }],
    });
    expect(JSON.stringify(response)).toContain('simulated');
    expect(first.callerKeys).toMatchObject({ settings: { access: { callerProviderKeys: true } } });
    expect([first.code, first.stderr]).toEqual([0, '']);

    cpSync(first.folder, folder, { recursive: true });
    const second = start();
    const again = await greeted(second);
    expect(again).not.toMatch(/sk-svc-|gw-op-|gw-proxy-|gw-boot-/);
    const made = await paste(lineWith(again, 'VirtualKeys/Create'));
    const oldKey = /sk-svc-\w+/.exec(greeting)?.[0] ?? '';
    const chat = lineWith(greeting, 'chat/completions').replace(
      /:\d+\/v1/,
      `:${/127.0.0.1:(\d+)\/v1/.exec(again)?.[1]}/v1`,
    );
    for (const key of [oldKey, String(made.value)]) {
      expect(await paste(chat.replace(oldKey, key))).toMatchObject({ object: 'chat.completion' });
    }
    expect(await second.stop('SIGTERM')).toBe(0);
  });

  it('prints a link that signs in at the console, once', async () => {
    const greeting = await greeted(start());
    const [, origin = '', link = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/console\/#link=(gw-link-\w+)/.exec(greeting) ?? [];
    const signIn = () =>
      fetch(`${origin}/console/auth/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ link }),
      });
    const statuses = [(await signIn()).status, (await signIn()).status];
    expect(statuses).toEqual([204, 401]);
  });

  it('stops at once, whatever connections its clients keep', () => {
    expect(first.stopMs).toBeLessThan(5_000);
  });

  it('keeps its secrets readable by their owner only, and out of its log', () => {
    const { folder, greeting } = first;
    for (const name of ['master-key', 'operator-token', 'proxy-token']) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    const log = readFileSync(join(folder, 'gateway.log'), 'utf8');
    expect(log).toContain('"route":"chat"');
    const secrets = ['master-key', 'operator-token', 'proxy-token'].map((name) =>
      readFileSync(join(folder, name), 'utf8').trim(),
    );
    for (const secret of [...secrets, ...(greeting.match(/(sk-svc|gw-op)-\w+/g) ?? [])])
      expect(log).not.toContain(secret);
  });

  it('warns that the vendor is called and money is spent when OPENAI_API_KEY is set', async () => {
    const greeting = await greeted(start({ OPENAI_API_KEY: 'sk-not-a-real-key-000000' }));
    expect(lineWith(greeting, 'OPENAI_API_KEY')).toMatch(/cost money.*simulator back/);
    expect(greeting).not.toContain('sk-not-a-real-key');
  });

  it.each([['GATEWAY_LISTEN'], ['GATEWAY_ADMIN_LISTEN'], ['GATEWAY_GRPC_LISTEN'], ['GATEWAY_HTTP_LISTEN']])(
    'reports a port in use in one line that names %s',
    async (setting) => {
      const taken = await startBlackHole();
      const child = start({ [setting]: `127.0.0.1:${taken.port}` });
      expect(await child.exited).toBe(1);
      await taken.stop();
      expect(child.stderr().trim().split('\n')).toHaveLength(1);
      expect(child.stderr()).toContain(`127.0.0.1:${taken.port}`);
      expect(child.stderr()).toContain(`${setting}=`);
    },
  );

  it('reports all invalid settings, and exits with 64', async () => {
    const child = start({ GATEWAY_BODY_BYTES_MAX: 'many', GATEWAY_TOTAL_TIMEOUT: 'long' });
    expect(await child.exited).toBe(64);
    expect(child.stderr()).toContain('GATEWAY_BODY_BYTES_MAX');
    expect(child.stderr()).toContain('GATEWAY_TOTAL_TIMEOUT');
  });

  it('reports a folder that cannot be written in one line that names GATEWAY_DATA_DIR', async () => {
    writeFileSync(join(folder, 'file'), '');
    const child = start({ GATEWAY_DATA_DIR: join(folder, 'file') });
    expect(await child.exited).toBe(1);
    expect(child.stderr().trim().split('\n')).toHaveLength(1);
    expect(child.stderr()).toContain('GATEWAY_DATA_DIR=');
  });

  it('reports a database without its token in one line', async () => {
    cpSync(first.folder, folder, { recursive: true });
    rmSync(join(folder, 'operator-token'));
    const child = start();
    expect(await child.exited).toBe(1);
    expect(child.stderr().trim().split('\n')).toHaveLength(1);
  });
});
