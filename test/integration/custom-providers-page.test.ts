// docs/custom-providers.md: its commands run unchanged, except for ports and the data folder.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, freePort, projectRoot, startNode, startProcess, until } from '../support/process.ts';

const page = readFileSync(join(projectRoot, 'docs/custom-providers.md'), 'utf8');
const [serve = '', start = '', configure = '', ask = '', withKeys = ''] = Array.from(
  page.matchAll(/^```sh\n(.*?)^```$/gms),
  ([, commands = '']) => commands,
);

let folder: string;
let modelsPort: number;
let greeting: string;
const running: Child[] = [];

/** Replaces the page's port and folder by those of this test. */
function here(commands: string): string {
  const port = (name: string) => new RegExp(`${name} .*127\\.0\\.0\\.1:(\\d+)`).exec(greeting)?.[1] ?? '';
  return commands
    .replaceAll('data/', `${folder}/`)
    .replaceAll(/\b8000\b/g, String(modelsPort))
    .replaceAll(':8080/', `:${port('chat')}/`)
    .replaceAll(':8081/', `:${port('operators')}/`);
}

/** Runs commands in one shell. @returns the JSON documents that they print */
async function paste(commands: string): Promise<readonly Record<string, unknown>[]> {
  const key = /sk-svc-\w+/.exec(greeting)?.[0] ?? '';
  const shell = startProcess('bash', ['-c', here(commands)], { env: { VIRTUAL_KEY: key } });
  expect([await shell.exited, shell.stderr()]).toEqual([0, '']);
  return shell
    .stdout()
    .replaceAll('}{', '}\n{')
    .split(/\n(?=\{)/)
    .map((one) => JSON.parse(one) as Record<string, unknown>);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'custom-providers-'));
  modelsPort = await freePort();
  greeting = '';
  running.push(startProcess('bash', ['-c', `exec ${here(serve)}`], { cwd: projectRoot }));
  const listed = /GATEWAY_PRIVATE_UPSTREAMS=\S+(?= npm start\n$)/.exec(start)?.[0] ?? '';
  const zero = '127.0.0.1:0';
  const gateway = startNode(['quickstart/main.ts'], {
    env: {
      ...{
        GATEWAY_LISTEN: zero,
        GATEWAY_ADMIN_LISTEN: zero,
        GATEWAY_GRPC_LISTEN: zero,
        GATEWAY_HTTP_LISTEN: zero,
      },
      ...{ GATEWAY_DATA_DIR: folder, GATEWAY_PRIVATE_UPSTREAMS: here(listed).split('=')[1] ?? '' },
    },
  });
  running.push(gateway);
  await until(() => gateway.stdout().includes('Ctrl-C'), { what: 'the greeting' });
  greeting = gateway.stdout();
});
afterAll(async () => {
  for (const child of running.toReversed()) await child.stop();
  rmSync(folder, { recursive: true });
});

it('a model server in the cluster serves requests once it is configured', async () => {
  expect(await paste(configure)).toMatchObject([{ name: 'in-cluster', keyForm: 'KEY_FORM_NONE' }]);
  const response = await until(async () => {
    const [one] = await paste(ask);
    return one?.object === 'chat.completion' && one;
  });
  expect(JSON.stringify(response)).toContain('simulated');
});

it('a vendor with keys accepts a stored key', async () => {
  const definitions = configure.slice(0, configure.indexOf('call Providers'));
  expect(await paste(definitions + withKeys)).toMatchObject([
    { name: 'acme-models', keyHeader: 'x-acme-key' },
    { provider: 'acme-models', enabled: true },
  ]);
});
