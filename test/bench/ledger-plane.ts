// The subject of the ledger's benchmark: the control plane's bundle alone on one core, with a durable PostgreSQL on the
// other, filled through the JSON API for operators.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import { startDurablePostgres } from '../support/durable-servers.ts';
import { freePort } from '../support/process.ts';
import { type Cores, type Pinned, parentOf, startPinned } from './cores.ts';
import type { Payer } from './ledger-proxy.ts';

export interface LedgerPlane {
  readonly database: Client;
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly proxyToken: string;
  /** The payers of all organizations, organization by organization. */
  readonly payers: readonly Payer[];
  /** Starts a fresh process with an empty ledger. */
  startControlPlane(): Promise<LedgerControlPlane>;
  stop(): Promise<void>;
}

export interface LedgerControlPlane extends Pinned {
  readonly address: string;
}

const systemsOfEach = 4;
const keysOfEach = 15;
export const budgetsOfEach = 1 + systemsOfEach + keysOfEach;

/** PostgreSQL runs on the core of this process. @param main of the control plane's bundle */
export async function startLedgerPlane(
  main: string,
  { cores, organizations }: { readonly cores: Cores; readonly organizations: number },
): Promise<LedgerPlane> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-ledger-'));
  const postgres = await startDurablePostgres('local');
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const bootstrapToken = createCredential('bootstrap');
  const masterKey = createSealKey();
  const start = async () => {
    const [grpcPort, httpPort, adminPort] = [await freePort(), await freePort(), await freePort()];
    const started = await startPinned(cores.subject, httpPort, [process.execPath, main], {
      GATEWAY_GRPC_LISTEN: `127.0.0.1:${grpcPort}`,
      GATEWAY_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
      GATEWAY_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      GATEWAY_DATABASE_URL: postgres.url,
      GATEWAY_MASTER_KEY: masterKey,
      GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
      GATEWAY_LOG_FILE: join(directory, 'control-plane.log'),
    });
    return { ...started, address: `127.0.0.1:${grpcPort}`, httpPort };
  };
  const first = await start();
  const filled = await fill(first.httpPort, bootstrapToken, organizations);
  await first.stop();
  return {
    ...{ database, databaseUrl: postgres.url, postgresPid: parentOf(rows[0]?.pid ?? 0), ...filled },
    startControlPlane: async () => {
      await emptyLedger(database);
      return start();
    },
    stop: async () => {
      await database.end();
      await postgres.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

async function emptyLedger(database: Client): Promise<void> {
  await database.query('truncate budget_windows, leases, ledger_sessions, usage_events, usage_hours, budget_notices');
  // Cleans up now, so that the run does not pay for earlier writes.
  await database.query('vacuum analyze');
  await database.query('checkpoint');
}

async function fill(httpPort: number, bootstrapToken: string, organizations: number) {
  const boot = operatorApi(httpPort, bootstrapToken);
  const { token } = await boot.call('OperatorTokens/Bootstrap', { name: 'bench' });
  const platform = operatorApi(httpPort, String(token));
  const proxyToken = await platform.call('ProxyTokens/Create', { name: 'bench' });
  const payers: Payer[] = [];
  for (let nth = 0; nth < organizations; nth++) {
    const { organization, ownerToken } = (await platform.call('Organizations/Create', {
      name: `bench-${nth}`,
      owner: { name: 'owner' },
    })) as { organization: { id: string }; ownerToken: string };
    payers.push(...(await fillOrganization(operatorApi(httpPort, ownerToken), organization.id)));
  }
  return { proxyToken: String(proxyToken.value), payers };
}

async function fillOrganization(api: OperatorApi, organizationId: string): Promise<readonly Payer[]> {
  const budget = async (kind: string, id: string) => {
    const made = await api.call('Limits/Create', {
      ...{ organizationId, subject: { kind: `LIMIT_SUBJECT_KIND_${kind}`, id }, kind: 'LIMIT_KIND_BUDGET' },
      ...{ amountUsd: '9000000', period: 'BUDGET_PERIOD_MONTH' },
    });
    return String(made.id);
  };
  const ofOrganization = await budget('ORGANIZATION', organizationId);
  const systems: { id: string; budgetId: string }[] = [];
  for (let nth = 0; nth < systemsOfEach; nth++) {
    const { id } = await api.call('AiSystems/Create', { organizationId, name: `system-${nth}` });
    systems.push({ id: String(id), budgetId: await budget('AI_SYSTEM', String(id)) });
  }
  const payers: Payer[] = [];
  for (let nth = 0; nth < keysOfEach; nth++) {
    const system = systems[nth % systemsOfEach];
    if (system === undefined) throw new Error('an organization has no AI system');
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const { virtualKey } = (await api.call('VirtualKeys/Create', {
      ...{ organizationId, name: `key-${nth}`, scope },
    })) as { virtualKey: { id: string } };
    const budgetIds = [await budget('VIRTUAL_KEY', virtualKey.id), system.budgetId, ofOrganization];
    payers.push({ organizationId, aiSystemId: system.id, keyId: virtualKey.id, budgetIds });
  }
  return payers;
}
