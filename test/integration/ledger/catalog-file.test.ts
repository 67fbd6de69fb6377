// A catalog file applies in both planes without a restart: to the cost of requests, the known models, and doctor's
// report.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { chatBody, type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';

let directory: string;
let file: string;
let database: StoreDatabase;
let gateway: TestGateway;
let proxy: ProxyProcess;
let platform: Gatewayctl;
let key: string;

const catalog = (asOf: string, ...models: readonly [name: string, input: string][]) =>
  JSON.stringify({
    ...{ asOf, unit: 'USD per million tokens', sources: {} },
    models: models.map(([name, input]) => ({
      ...{ provider: 'gpt-provider', name, chat: true, limits: {}, capabilities: [] },
      prices: { input, output: input, asOf },
    })),
  });
function put(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  file = join(directory, 'models.json');
  put(catalog('2026-11-01', ['gpt-4o', '10']));
  database = await freshSqlite();
  gateway = await startGateway({ databaseUrl: database.url });
  const env = { GATEWAY_CATALOG_FILE: file };
  // Separate processes, because a program has one catalog in force.
  const plane = await gateway.startControlPlaneProcess(env);
  proxy = await gateway.startProxyProcess({ ...env, GATEWAY_CONTROL_PLANE: `127.0.0.1:${plane.grpcPort}` });
  platform = await loggedIn(plane.grpcPort, gateway.secrets.platformToken);
  key = (await gateway.organization.createKey()).value;
});
afterAll(async () => {
  platform?.remove();
  await gateway?.close();
  await database?.drop();
  rmSync(directory, { recursive: true });
});

/** Nano-dollars; NaN if the response has no cost. */
async function costOf(model: string): Promise<number> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: chatBody({ model }),
  });
  await response.text();
  return Math.round(Number(response.headers.get('x-svc-cost') ?? Number.NaN) * 1e9);
}

/** The catalog check of doctor, independent of its other checks. */
const ruled = async (): Promise<string> => {
  const { checks } = JSON.parse((await platform.run('doctor --json')).out);
  return checks.find(({ check }: { check: string }) => check === 'catalog')?.message ?? '';
};

it('a catalog file applies in proxy and control plane at once and after a change; a broken file changes nothing', async () => {
  const first = await costOf('openai/gpt-4o');
  expect(first).toBeGreaterThan(0);
  expect(await costOf('openai/gpt-4o-mini')).toBeNaN();
  await until(async () => (await ruled()).startsWith('all go by that of 2026-11-01'), {
    what: 'both planes to go by the file',
    timeoutMs: 30_000,
  });
  put(catalog('2026-11-02', ['gpt-4o', '30'], ['gpt-4o-mini', '10']));
  await until(async () => (await costOf('openai/gpt-4o')) === first * 3, {
    what: 'the newer price',
    timeoutMs: 30_000,
  });
  expect(await costOf('openai/gpt-4o-mini')).toBeGreaterThan(0);
  put('{');
  await until(async () => (await ruled()).startsWith('the file is refused'), {
    what: 'doctor to name the broken file',
    timeoutMs: 60_000,
  });
  expect(await costOf('openai/gpt-4o')).toBe(first * 3);
  const metrics = await until(
    async () => {
      const text = await (await fetch(`${proxy.adminUrl}/metrics`)).text();
      return /^gateway_catalog_rejected 1$/m.test(text) ? text : undefined;
    },
    { what: 'the proxy to count the broken file', timeoutMs: 30_000 },
  );
  const age = Number(/^gateway_catalog_age_seconds (\S+)$/m.exec(metrics)?.[1]);
  expect(Math.abs((Date.now() - Date.parse('2026-11-02')) / 1000 - age)).toBeLessThan(60);
});
