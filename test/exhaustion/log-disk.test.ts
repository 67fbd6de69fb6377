// The disk of the log is full: both planes continue, report that lines are lost, and write again when there is room.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { until } from '../support/process.ts';
import { type OnSmallDisk, startNodeOnSmallDisk } from '../support/small-disk.ts';

const anyPort = '127.0.0.1:0';
const programs = {
  proxy: {
    env: {
      GATEWAY_LISTEN: anyPort,
      GATEWAY_ADMIN_LISTEN: anyPort,
      GATEWAY_CONTROL_PLANE: '127.0.0.1:1',
      GATEWAY_PROXY_TOKEN: createCredential('proxy'),
    },
    portName: 'port',
    path: '/v1/models',
    status: 401,
  },
  'control-plane': {
    env: {
      GATEWAY_GRPC_LISTEN: anyPort,
      GATEWAY_HTTP_LISTEN: anyPort,
      GATEWAY_ADMIN_LISTEN: anyPort,
      GATEWAY_MASTER_KEY: createSealKey(),
      GATEWAY_LOG_LEVEL: 'debug',
    },
    portName: 'http_port',
    path: '/gateway.v1.Status/Get',
    status: 401,
  },
} as const;

let folder: string;
let databases: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-small-disk-'));
  databases = mkdtempSync(join(tmpdir(), 'gateway-databases-'));
});
afterAll(() => {
  for (const each of [folder, databases]) rmSync(each, { recursive: true });
});

describe.each(Object.entries(programs))('%s on a full log disk', (name, program) => {
  let running: OnSmallDisk;
  let ports: Readonly<Record<string, number>>;

  const logged = () => readFileSync(running.path('log'), 'utf8');
  const url = (port: string, path: string) => `http://127.0.0.1:${ports[port]}${path}`;
  const metric = async () => {
    const text = await (await fetch(url('admin_port', '/metrics'))).text();
    return Number(/^gateway_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
  };
  const calls = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const response = await fetch(url(program.portName, program.path), {
        method: program.path === '/v1/models' ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
        ...(program.path !== '/v1/models' && { body: '{}' }),
        signal: AbortSignal.timeout(5_000),
      });
      expect(response.status).toBe(program.status);
      await response.arrayBuffer();
    }
  };
  const start = async () => {
    const database =
      name === 'proxy' ? {} : { GATEWAY_DATABASE_URL: `sqlite:${join(databases, `${Math.random()}.db`)}` };
    running = startNodeOnSmallDisk({ folder, kibibytes: 64 }, [`${name}/main.ts`], {
      env: { ...program.env, ...database, GATEWAY_LOG_FILE: join(folder, 'log') },
    });
    const line = await until(() => /^.*"msg":"ready.*$/m.exec(readLog())?.[0], { timeoutMs: 60_000 });
    ports = JSON.parse(line);
  };
  const readLog = () => {
    try {
      return logged();
    } catch {
      return '';
    }
  };

  it('serves, counts lost lines, writes again when there is room, and ends on SIGTERM', async () => {
    await start();
    await calls(3);
    running.fill();
    await calls(40);
    await until(async () => (await metric()) > 0, { what: 'lost lines to be counted' });
    expect((await fetch(url('admin_port', '/livez'))).status).toBe(200);
    running.free();
    await until(
      async () => {
        await calls(1);
        return logged().includes('log lines were lost');
      },
      { what: 'the log to be written again' },
    );
    const torn = logged()
      .trimEnd()
      .split('\n')
      .filter((line) => !line.endsWith('}'));
    expect(torn.length).toBeLessThanOrEqual(1);
    expect(await running.child.stop()).toBe(0);
  });

  it('ends on SIGTERM while its disk is full', async () => {
    await start();
    running.fill();
    await calls(10);
    expect(await running.child.stop()).toBe(0);
  });
});
