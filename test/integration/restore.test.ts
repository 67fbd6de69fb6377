// A backup is restored while two proxies run: the state is that of the backup, the proxies notice, later changes are
// undone, and the lost revocations are found in the collected audit log. The programs are processes; docs/backup.md
// describes the same for operators.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { startSimulator } from '../../simulator/index.ts';
import { type BackedUpDatabase, postgresIntoFresh, postgresSameDatabase, sqliteFile } from '../support/backups.ts';
import { admission, chat, outcomes, turns } from '../support/chat-requests.ts';
import { bootstrap, newOrganization, startPlane, type TestOrganization } from '../support/gateway.ts';
import { type Child, freePort, startNode, until } from '../support/process.ts';
import { createBudget, ledgerOf, makeDear, recordedCost } from '../support/spending.ts';
import { metric, type Observed, readiness } from '../support/telemetry.ts';
import { vendorSettings } from '../support/vendors.ts';

const notFound = '401 access_not_found';
const gone = { from: '200', to: notFound, withinMs: 30_000 };

let directory: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-restore-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(directory, { recursive: true });
});

/** A control plane that restarts at the same ports, with all its log lines. */
class ControlPlane {
  readonly #database: BackedUpDatabase;
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | undefined;
  #collected = '';

  constructor(database: BackedUpDatabase, env: Readonly<Record<string, string>>) {
    this.#database = database;
    this.#env = env;
  }

  get adminUrl(): string {
    return `http://${this.#env.GATEWAY_ADMIN_LISTEN}`;
  }

  /** The lines that a log collector has so far. */
  get log(): string {
    return this.#collected + (this.#child?.stdout() ?? '');
  }

  async start(): Promise<void> {
    const env = { ...this.#env, GATEWAY_DATABASE_URL: this.#database.url };
    this.#child = (await startPlane('control-plane/main.ts', env, { timeoutMs: 20_000 })).child;
    await until(async () => (await readiness(this)) === 'ok', { what: 'the control plane to be ready' });
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
    this.#collected = this.log;
    this.#child = undefined;
  }

  /** Runs the maintenance command on the collected lines. */
  async missingChanges(lines: string): Promise<{ readonly code: number | string; readonly output: string }> {
    const file = join(directory, 'collected.log');
    writeFileSync(file, lines);
    const env = { ...this.#env, GATEWAY_DATABASE_URL: this.#database.url };
    const child = startNode(['control-plane/main.ts', 'missing-changes', file], { env });
    const code = await child.exited;
    return { code, output: child.stdout() + child.stderr() };
  }
}

const resolves = (proxy: Observed) => metric(proxy, 'gateway_key_lookups_total', { tier: 'control_plane' });

async function startPrograms(database: BackedUpDatabase) {
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  closers.push(() => simulator.close());
  const upstream = vendorSettings(simulator.baseUrls, simulator.port);
  const [grpc, http, admin] = [await freePort(), await freePort(), await freePort()];
  const bootstrapToken = createCredential('bootstrap');
  const controlPlane = new ControlPlane(database, {
    GATEWAY_GRPC_LISTEN: `127.0.0.1:${grpc}`,
    GATEWAY_HTTP_LISTEN: `127.0.0.1:${http}`,
    GATEWAY_ADMIN_LISTEN: `127.0.0.1:${admin}`,
    GATEWAY_MASTER_KEY: createSealKey(),
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    GATEWAY_PRIVATE_UPSTREAMS: upstream.GATEWAY_PRIVATE_UPSTREAMS ?? '',
  });
  await controlPlane.start();
  closers.push(() => controlPlane.stop());
  const { platform, proxyToken } = await bootstrap(http, bootstrapToken);
  const proxies = await Promise.all(
    [1, 2].map(async () => {
      const { child, line } = await startPlane('proxy/main.ts', {
        ...upstream,
        GATEWAY_LISTEN: '127.0.0.1:0',
        GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
        GATEWAY_CONTROL_PLANE: `127.0.0.1:${grpc}`,
        GATEWAY_PROXY_TOKEN: proxyToken,
        GATEWAY_ORGANIZATION_SHARE: '100',
      });
      closers.push(() => child.stop());
      return { child, url: `http://127.0.0.1:${line.port}`, adminUrl: `http://127.0.0.1:${line.admin_port}` };
    }),
  );
  return { controlPlane, proxies, organization: await newOrganization(platform, http, 'acme') };
}

describe.each([
  ['a PostgreSQL dump into an empty database', postgresIntoFresh],
  ['a PostgreSQL dump into the same database', postgresSameDatabase],
  ['a SQLite file', sqliteFile],
])('restored from a backup: %s', (_how, open) => {
  it('keys and limits are as in the backup, usage is complete, proxies resolve again, and lost revocations are in the log', async () => {
    const database = await open();
    closers.push(() => database.drop());
    const { controlPlane, proxies, organization } = await startPrograms(database);
    const { api } = organization;
    const everywhere = (outcome: string) => proxies.map(() => outcome);
    const ask = (key: { readonly value: string }) => outcomes(proxies, admission(key.value));
    const spend = (key: { readonly value: string }) => outcomes(proxies, chat(key.value));

    await makeDear(organization);
    const [kept, revoked, rotated] = [
      await organization.createKey({ name: 'kept' }),
      await organization.createKey({ name: 'revoked later' }),
      await organization.createKey({ name: 'rotated later' }),
    ];
    const budgetId = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: kept.id }, { amountUsd: '5' });
    for (const key of [kept, revoked, rotated]) expect(await spend(key)).toEqual(everywhere('200'));
    await until(async () => (await requests(organization)) === 6, { what: 'usage', timeoutMs: 20_000 });
    const [before, costBefore] = [await stateOf(organization), await recordedCost(organization)];

    // Proxies have leases of the budget meanwhile, as at any time.
    await database.backUp();
    const made = await organization.createKey({ name: 'made later' });
    await api.call('VirtualKeys/Revoke', { id: revoked.id });
    await api.call('VirtualKeys/Rotate', { id: rotated.id });
    await api.call('Limits/Update', { id: budgetId, amountUsd: '1' });
    expect(await spend(kept)).toEqual(everywhere('200'));
    expect(await ask(made)).toEqual(everywhere('200'));
    await turns(proxies, admission(revoked.value), gone);
    await until(async () => (await requests(organization)) === 8, { what: 'usage', timeoutMs: 20_000 });

    const [after, costAfter] = [await stateOf(organization), await recordedCost(organization)];
    expect(costAfter).toBeGreaterThan(costBefore);

    // Ensures that every proxy has the key's present record: the change of its budget may have arrived after the
    // request above.
    expect(await ask(kept)).toEqual(everywhere('200'));
    await controlPlane.stop();
    const resolved = await Promise.all(proxies.map(resolves));
    expect(await ask(kept), 'while it is away').toEqual(everywhere('200'));
    await database.restore();
    await controlPlane.start();

    await until(
      async () => {
        expect(await ask(kept)).toEqual(everywhere('200'));
        const now = await Promise.all(proxies.map(resolves));
        return now.every((count, index) => count > (resolved[index] ?? Number.NaN));
      },
      { what: 'every proxy to resolve again a key that it has', timeoutMs: 30_000 },
    );
    await turns(proxies, admission(made.value), gone);
    // The proxies still have the usage that is missing in the backup, and report it again.
    await until(async () => (await recordedCost(organization)) === costAfter, {
      what: 'the usage since the backup',
      timeoutMs: 20_000,
    });
    const { usage, spent: spentAfter } = after as { readonly usage: unknown; readonly spent: unknown };
    expect(await stateOf(organization)).toEqual({ ...before, usage, spent: spentAfter });
    expect(await ask(revoked), 'the backup does not know').toEqual(everywhere('200'));
    expect(await ask(rotated), 'the old value').toEqual(everywhere('200'));

    const reported = await controlPlane.missingChanges(controlPlane.log);
    expect(reported.output).toContain(`gatewayctl keys revoke ${revoked.id}\n`);
    expect(reported.output).toContain(`gatewayctl keys rotate ${rotated.id}\n`);
    expect(reported.output).toContain(`gatewayctl limits update ${budgetId}\n`);
    expect(reported.output).toMatch(/undone as well:\n.* VirtualKeys.Create virtual_key .* "made later", by person /);
    expect(reported.output).toContain('control-plane: 3 revocations are undone\n');
    expect(reported.output.split('gatewayctl')).toHaveLength(4);
    expect(reported.code).toBe(1);

    await api.call('VirtualKeys/Revoke', { id: revoked.id });
    await api.call('VirtualKeys/Rotate', { id: rotated.id });
    await api.call('Limits/Update', { id: budgetId, amountUsd: '1' });
    for (const key of [revoked, rotated]) await turns(proxies, admission(key.value), gone);
    const again = await controlPlane.missingChanges(controlPlane.log);
    expect(again).toMatchObject({ code: 0, output: expect.not.stringContaining('gatewayctl') });

    // Each request is charged once, and no lease from before the restore stays set aside.
    const [{ spent }, cost] = [await ledgerOf(organization, budgetId), await recordedCost(organization)];
    // The other proxy's lease from before the budget was lowered may be all that is left of the budget, until that
    // proxy releases it.
    await turns(proxies, chat(kept.value), { from: '429 budget_busy', to: '200', withinMs: 20_000 });
    const rest = await until(
      async () => {
        // On a busy machine a newly restored database may not be reachable yet.
        const ledger = await ledgerOf(organization, budgetId).catch(() => undefined);
        return ledger?.leased === 0 && ledger.spent > spent && ledger;
      },
      { what: 'the proxies to release money that they do not need', timeoutMs: 30_000 },
    );
    expect(rest.spent - spent).toBe((await recordedCost(organization)) - cost);
    expect(rest.unconfirmed).toBe(0);
    for (const { child } of proxies) expect(child.stderr()).toBe('');
  });

  async function requests({ api, id }: TestOrganization): Promise<number> {
    const { totals } = (await api.call('Usage/Totals', { organizationId: id })) as {
      totals: readonly { readonly requests: string }[];
    };
    return Number(totals[0]?.requests ?? 0);
  }

  /** The state that must be as in the backup. */
  async function stateOf(organization: TestOrganization): Promise<object> {
    const { api, id: organizationId } = organization;
    const list = (method: string) => api.call(method, { organizationId });
    return {
      keys: withoutLastUse((await list('VirtualKeys/List')).virtualKeys),
      limits: (await list('Limits/List')).limits,
      prices: (await list('Prices/List')).prices,
      providerKeys: (await list('ProviderKeys/List')).providerKeys,
      usage: (await list('Usage/Totals')).totals,
      spent: ((await list('Budgets/ListWindows')).windows as { spentUsd: string }[]).map(({ spentUsd }) => spentUsd),
    };
  }

  /** The last use is written only now and then. */
  function withoutLastUse(keys: unknown): object[] {
    return (keys as { lastUsedAt?: string }[]).map(({ lastUsedAt: _, ...key }) => key);
  }
});
