// gatewayctl as operators run it: a separate process of the bundle that is shipped, at a terminal and in pipes.
// programs.test.ts starts it from source as well.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf, startGateway, type TestGateway } from '../../support/gateway.ts';
import { startNode, startProcess, until } from '../../support/process.ts';

let gateway: TestGateway;
let directory: string;
let env: { readonly [name: string]: string };
let main: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gatewayctl-process-'));
  main = await programOf('gatewayctl/main.ts');
  gateway = await startGateway();
  env = {
    XDG_CONFIG_HOME: directory,
    GATEWAYCTL_SERVER: `127.0.0.1:${gateway.controlPlane.grpcPort}`,
    GATEWAYCTL_TOKEN: gateway.organization.ownerToken,
  };
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await gateway.close();
});

async function run(line: string, given: Readonly<Record<string, string>> = env) {
  const child = startNode([main, ...line.split(' ')], { env: given });
  const code = await child.exited;
  return { code, out: child.stdout(), err: child.stderr() };
}

/** Runs it at a pseudo terminal and types the keys as soon as the prompt is shown. */
async function atTerminal(line: string, typed: { readonly prompt: string; readonly keys: string }, given = env) {
  const command = `${process.execPath} ${main} ${line}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env.PATH, ...given },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const exited = once(child, 'exit');
  await until(() => screen.includes(typed.prompt), { what: `the prompt ${typed.prompt}` });
  child.stdin.write(typed.keys);
  const [code] = await exited;
  child.stdin.end();
  return { code, screen };
}

/** Names of the organization's keys that are not revoked. */
async function activeKeys(): Promise<readonly string[]> {
  const { api, id } = gateway.organization;
  const { virtualKeys } = await api.call('VirtualKeys/List', { organizationId: id });
  const keys = virtualKeys as readonly { readonly name: string; readonly status: string }[];
  return keys.filter(({ status }) => status === 'KEY_STATUS_ACTIVE').map(({ name }) => name);
}

describe('gatewayctl in a pipe', () => {
  it('writes its result to standard output, and everything else to standard error', async () => {
    const { code, out, err } = await run('keys create piped');
    expect(code).toBe(0);
    expect(out).toMatch(/^sk-svc-\w+\n$/);
    expect(err).toMatch(/^name +piped$/m);
  });

  it('exits with the documented exit codes', async () => {
    expect((await run('keys get 01890000-0000-7000-8000-000000000000')).code).toBe(1);
    expect((await run('keys lst')).code).toBe(2);
    expect((await run('keys list --timeout 1s', { ...env, GATEWAYCTL_SERVER: '127.0.0.1:1' })).code).toBe(3);
    expect((await run('keys list', { XDG_CONFIG_HOME: directory, GATEWAYCTL_SERVER: '127.0.0.1:1' })).code).toBe(4);
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const command = `${process.execPath} ${main} audit list --json | head -c 1; echo "\${PIPESTATUS[0]}"`;
    const child = startProcess('bash', ['-c', command], { env });
    expect(await child.exited).toBe(0);
    expect(child.stderr()).toBe('');
    expect(child.stdout()).toBe('{0\n');
  });

  it('starts with little more processor time than Node alone', async () => {
    const nothing = join(directory, 'nothing.mjs');
    writeFileSync(nothing, '');
    const commands = { node: [nothing], help: [main, 'help'], list: [main, 'keys', 'list'] };
    const least = { node: Infinity, help: Infinity, list: Infinity };
    for (let nth = 0; nth < 5; nth++) {
      for (const name of ['node', 'help', 'list'] as const)
        least[name] = Math.min(least[name], await processorMs(commands[name]));
    }
    console.log(`processor time of a start: ${JSON.stringify(least)} ms`);
    expect(least.help / least.node).toBeLessThan(4);
    expect(least.list / least.node).toBeLessThan(7.5);
  });
});

/** Of a whole process of Node, which reports it at its end. */
async function processorMs(args: readonly string[]): Promise<number> {
  const report = 'process.on("exit", () => process._rawDebug(JSON.stringify(process.cpuUsage())))';
  const child = startNode(['--import', `data:text/javascript,${encodeURIComponent(report)}`, ...args], { env });
  expect(await child.exited).toBe(0);
  const { user, system } = JSON.parse(child.stderr().trim().split('\n').at(-1) ?? '');
  return (user + system) / 1000;
}

describe('gatewayctl at a terminal', () => {
  const context = () => ({ XDG_CONFIG_HOME: mkdtempSync(join(directory, 'home-')) });

  it('prompts for the token without showing it, and stores it', async () => {
    const given = context();
    await run(`context add local --server ${env.GATEWAYCTL_SERVER}`, given);
    const token = gateway.organization.ownerToken;
    const { code, screen } = await atTerminal('login', { prompt: 'Token: ', keys: `${token}\r` }, given);
    expect([code, screen]).toEqual([0, expect.stringContaining('logged in to')]);
    expect(screen).not.toContain(token);
    const config = join(given.XDG_CONFIG_HOME, 'gatewayctl', 'config.json');
    expect(readFileSync(config, 'utf8')).toContain(token);
    expect((await run('keys list', given)).code).toBe(0);
    expect((await run('logout', given)).code).toBe(0);
    expect(readFileSync(config, 'utf8')).not.toContain(token);
  });

  it('prompts before it revokes, and follows a no and a yes', async () => {
    await gateway.organization.createKey({ name: 'prompted' });
    const prompt = 'stays revoked. [y/N] ';
    const no = await atTerminal('keys revoke prompted', { prompt, keys: 'n\r' });
    expect([no.code, no.screen]).toEqual([1, expect.stringContaining('nothing was done')]);
    expect(await activeKeys()).toContain('prompted');
    expect((await atTerminal('keys revoke prompted', { prompt, keys: 'y\r' })).code).toBe(0);
    expect(await activeKeys()).not.toContain('prompted');
  });

  it('ends at Ctrl-C, at a hidden prompt as well as at a visible one', async () => {
    const given = { ...context(), GATEWAYCTL_SERVER: env.GATEWAYCTL_SERVER ?? '' };
    expect((await atTerminal('login', { prompt: 'Token: ', keys: '\u0003' }, given)).code).toBe(130);
    await gateway.organization.createKey({ name: 'survivor' });
    expect((await atTerminal('keys revoke survivor', { prompt: '[y/N] ', keys: '\u0003' })).code).toBe(130);
    expect(await activeKeys()).toContain('survivor');
  });
});
