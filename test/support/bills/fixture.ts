// A control plane with one organization whose bills are compared with its ledger: tests of single differences import,
// read and settle with it.
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import type { StoreDatabase } from '../databases.ts';
import {
  bootstrap,
  type Called,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../operators.ts';
import { until } from '../process.ts';
import { recordEvents, usageEvent } from '../usage-events.ts';

/** The project in the rows of OpenAI's cost document. */
export const project = 'proj_shop';

export interface Charged {
  readonly usd: string;
  readonly model?: string;
  readonly kind?: string;
  readonly project?: string;
}

export class BillFixture {
  readonly store: Store;
  readonly plane: OperatorsPlane;
  readonly acme: TestTenant;
  readonly platform: { readonly id: string; readonly token: string };
  /** The key of OpenAI; the project is mapped to it. */
  readonly providerKeyId: string;
  readonly #database: StoreDatabase;

  private constructor(
    fields: Pick<BillFixture, 'store' | 'plane' | 'acme' | 'platform' | 'providerKeyId'> & {
      readonly database: StoreDatabase;
    },
  ) {
    this.store = fields.store;
    this.plane = fields.plane;
    this.acme = fields.acme;
    this.platform = fields.platform;
    this.providerKeyId = fields.providerKeyId;
    this.#database = fields.database;
  }

  /** @param env further settings */
  static async open(
    fresh: () => Promise<StoreDatabase>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<BillFixture> {
    const database = await fresh();
    const plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url, ...env } });
    const platform = await bootstrap(plane);
    const acme = await createTenant(plane, platform, 'acme');
    const key = await plane.expect('ProviderKeys.Create', acme.owner.token, {
      ...{ organizationId: acme.id, provider: 'gpt-provider', name: 'main' },
      secret: { apiKey: 'made-up-secret' },
    });
    const store = await database.open();
    const fixture = new BillFixture({ database, plane, platform, acme, store, providerKeyId: key.id });
    await fixture.expect('SetMapping', {
      vendor: 'BILL_VENDOR_OPENAI',
      reference: { kind: 'BILL_REFERENCE_KIND_PROJECT', value: project },
      providerKeyIds: [key.id],
    });
    return fixture;
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.#database.drop();
  }

  /** Calls the service Reconciliation for the organization. */
  expect(method: string, request: object = {}): Promise<JsonResponse> {
    const { id, owner } = this.acme;
    return this.plane.expect(`Reconciliation.${method}`, owner.token, { organizationId: id, ...request });
  }

  call(method: string, request: object = {}, token = this.acme.owner.token): Promise<Called> {
    return this.plane.call(`Reconciliation.${method}`, token, { organizationId: this.acme.id, ...request });
  }

  /** Records requests of the organization with the provider key. */
  async record(day: string, usd: string, fields: Partial<UsageEventRow> = {}): Promise<UsageEventRow> {
    const row = usageEvent({
      ...{
        organization_id: this.acme.id,
        provider_key_id: this.providerKeyId,
        cost: Math.round(Number(usd) * 1e9),
      },
      ...{ at: Date.parse(day) + dayMs / 2, model_asked: 'gpt-provider/gpt-4o' },
      model_answered: 'gpt-4o-2024-08-06',
      ...fields,
    });
    await recordEvents(this.store, [row]);
    return row;
  }

  async bill(day: string, charges: readonly Charged[], account?: string): Promise<JsonResponse> {
    return await this.expect('ImportBill', {
      document: 'BILL_DOCUMENT_OPENAI_COSTS',
      ...(account !== undefined && { account }),
      days: [{ day, rows: charges.map(rowOf) }],
    });
  }

  /** Waits until all pending comparisons are done. */
  async compared(): Promise<void> {
    const pending = async () => (await this.expect('ListDrift')).daysPending;
    await until(async () => (await pending()) === 0, { what: 'days to be compared', timeoutMs: 60_000 });
  }

  /** Waits until all pending comparisons are done, and makes them old enough for differences to be reported. */
  async quiet(): Promise<void> {
    await this.compared();
    await this.store.ledger(async ({ db }) => {
      await db
        .updateTable('reconcile_days')
        .set(({ eb }) => ({ compared_at: eb('compared_at', '-', 60_000) }))
        .where('organization_id', '=', this.acme.id)
        .execute();
    });
  }

  /** Differences of a day, or all. */
  async drift(day?: string, more: object = {}): Promise<readonly JsonResponse[]> {
    await this.compared();
    const range = day === undefined ? {} : { from: day, to: day };
    return (await this.expect('ListDrift', { ...range, ...more })).drift;
  }

  /** The only difference of a day. */
  async driftOf(day: string): Promise<JsonResponse> {
    const [row, ...others] = await this.drift(day);
    if (row === undefined || others.length > 0) throw new Error(`${others.length + 1} or no differences`);
    return row;
  }

  /** USD, requests and the other totals of the day. */
  async total(day: string, more: object = {}): Promise<JsonResponse> {
    const { id, owner } = this.acme;
    const to = dayOf(Date.parse(day) + dayMs);
    const range = { from: `${day}T00:00:00Z`, to: `${to}T00:00:00Z` };
    const request = { organizationId: id, ...range, ...more };
    return (await this.plane.expect('Usage.Totals', owner.token, request)).totals[0];
  }

  /** The exported lines of the day. */
  async exported(day: string): Promise<readonly JsonResponse[]> {
    const { id, owner } = this.acme;
    const to = dayOf(Date.parse(day) + dayMs);
    const chunks: JsonResponse[] = await this.plane.expect('Usage.Export', owner.token, {
      ...{ organizationId: id, from: `${day}T00:00:00Z`, to: `${to}T00:00:00Z` },
      format: 'USAGE_FORMAT_JSON_LINES',
    });
    const text = chunks.map(({ chunk }) => Buffer.from(chunk).toString()).join('');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** A budget of 100 USD over the organization, unless fields say otherwise. @returns its id */
  async budget(fields: object = {}): Promise<string> {
    const { id, owner } = this.acme;
    const made = await this.plane.expect('Limits.Create', owner.token, {
      ...{ organizationId: id, kind: 'LIMIT_KIND_BUDGET', amountUsd: '100', period: 'BUDGET_PERIOD_DAY' },
      subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id },
      ...fields,
    });
    return made.id;
  }

  /** Spent USD by the start of the window, without empty windows. */
  async spent(budgetId: string): Promise<Readonly<Record<string, string>>> {
    const { id, owner } = this.acme;
    const request = { organizationId: id, limitId: budgetId, includePast: true };
    const { windows } = await this.plane.expect('Budgets.ListWindows', owner.token, request);
    const used = windows.filter(({ spentUsd }: JsonResponse) => spentUsd !== '0');
    return Object.fromEntries(used.map((one: JsonResponse) => [one.window, one.spentUsd]));
  }
}

function rowOf({ usd, model = 'gpt-4o-2024-08-06', kind = 'USAGE', project: value = project }: Charged) {
  return {
    references: [{ kind: 'BILL_REFERENCE_KIND_PROJECT', value }],
    ...{ model, kind: `BILL_ROW_KIND_${kind}`, costUsd: usd },
  };
}
