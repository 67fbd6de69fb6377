// A control plane over either database for tests of budgets, with the calls that these tests repeat.
import { afterAll, beforeAll, describe } from 'vitest';
import { hashCredential } from '../../common/credential.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { type ReadRecords, recordsOf } from '../../control-plane/services/records.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from './databases.ts';
import {
  bootstrap,
  type Called,
  createKey,
  createTenant,
  freely,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from './operators.ts';
import { silentLog } from './silent-log.ts';

export const testBudget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '5', period: 'BUDGET_PERIOD_DAY' };

export function limitSubject(
  kind: 'ORGANIZATION' | 'AI_SYSTEM' | 'PERSON' | 'VIRTUAL_KEY' | 'PROVIDER_KEY',
  id: string,
) {
  return { kind: `LIMIT_SUBJECT_KIND_${kind}`, id };
}

interface Opened {
  readonly database: StoreDatabase;
  readonly plane: OperatorsPlane;
  readonly store: Store;
  readonly platform: Someone;
  readonly acme: TestTenant;
  readonly other: TestTenant;
}

export class BudgetFixture {
  #opened: Opened | undefined;

  async open(fresh: () => Promise<StoreDatabase>): Promise<void> {
    const database = await fresh();
    const plane = await startOperatorsPlane({
      env: { GATEWAY_DATABASE_URL: database.url },
      rates: freely,
    });
    const store = await database.open();
    const platform = await bootstrap(plane);
    const acme = await createTenant(plane, platform, 'acme');
    const other = await createTenant(plane, platform, 'other');
    this.#opened = { database, plane, store, platform, acme, other };
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.database.drop();
  }

  get #at(): Opened {
    if (this.#opened === undefined) throw new Error('not open yet');
    return this.#opened;
  }

  get database(): StoreDatabase {
    return this.#at.database;
  }

  get plane(): OperatorsPlane {
    return this.#at.plane;
  }

  /** A second store over the same database. */
  get store(): Store {
    return this.#at.store;
  }

  get platform(): Someone {
    return this.#at.platform;
  }

  get acme(): TestTenant {
    return this.#at.acme;
  }

  get other(): TestTenant {
    return this.#at.other;
  }

  /** The records that a proxy gets for a new key of the organization, without secrets. */
  async records(tenant: TestTenant): Promise<ReadRecords> {
    const { value } = await createKey(this.plane, tenant);
    const hash = hashCredential(String(value));
    const now = Date.now();
    const rows = await this.store.accessRows({ hashes: [hash], onlyOf: tenant.id, now });
    return recordsOf({ sealKeys: parseSealKeys(createSealKey()), log: silentLog }, rows, now)(hash);
  }

  tenant(): Promise<TestTenant> {
    return createTenant(this.plane, this.platform, freshName('org'));
  }

  /** Calls as the organization's owner. */
  as(tenant: TestTenant, method: string, request: object): Promise<JsonResponse> {
    return this.plane.expect(method, tenant.owner.token, request);
  }

  /** Requests a budget of $5 a day on the organization, unless fields say otherwise. */
  ask(tenant: TestTenant, fields: object = {}): Promise<Called> {
    const subject = limitSubject('ORGANIZATION', tenant.id);
    const request = { organizationId: tenant.id, subject, ...testBudget, ...fields };
    return this.plane.call('Limits.Create', tenant.owner.token, request);
  }

  async budget(tenant: TestTenant, fields: object = {}): Promise<JsonResponse> {
    const called = await this.ask(tenant, fields);
    if ('response' in called) return called.response;
    throw new Error(`${called.code} ${called.message}`);
  }

  async system(tenant: TestTenant): Promise<string> {
    const request = { organizationId: tenant.id, name: freshName('system') };
    return (await this.as(tenant, 'AiSystems.Create', request)).id;
  }

  async key(tenant: TestTenant, kind: 'ORGANIZATION' | 'AI_SYSTEM' | 'PERSON', id: string): Promise<string> {
    const scope = { kind: `KEY_SCOPE_KIND_${kind}`, id };
    return (await createKey(this.plane, tenant, { scope })).virtualKey.id;
  }

  /** Audit events, newest first. */
  async trail(tenant: TestTenant, targetId: string): Promise<JsonResponse[]> {
    return (await this.as(tenant, 'Audit.List', { organizationId: tenant.id, targetId })).events;
  }

  async windows(tenant: TestTenant, fields: object = {}, by = tenant.owner): Promise<JsonResponse[]> {
    const request = { organizationId: tenant.id, ...fields };
    return (await this.plane.expect('Budgets.ListWindows', by.token, request)).windows;
  }

  async unconfirmed(tenant: TestTenant, fields: object = {}): Promise<JsonResponse[]> {
    return (await this.as(tenant, 'Budgets.ListUnsettled', { organizationId: tenant.id, ...fields })).unsettled;
  }
}

/** The same tests over both databases, with one fixture for all of them. */
export function describeBudgets(what: string, tests: (fixture: BudgetFixture) => void): void {
  describe.each([
    ['SQLite', freshSqlite],
    ['PostgreSQL', freshPostgres],
  ])(`${what} over %s`, (_name, fresh) => {
    const fixture = new BudgetFixture();
    beforeAll(() => fixture.open(fresh));
    afterAll(() => fixture.close());
    tests(fixture);
  });
}
