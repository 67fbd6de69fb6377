// The ledger against the bills of a month, over both databases and by the command line: every planted difference is
// found and named, and nothing else is reported.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { nanoOfUsd } from '../../../common/money.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { startAnthropic } from '../../support/bills/anthropic-server.ts';
import { accounts } from '../../support/bills/documents.ts';
import { type Month, makeMonth } from '../../support/bills/month.ts';
import { startOpenAi } from '../../support/bills/openai-server.ts';
import { type KeyName, plants } from '../../support/bills/uses.ts';
import type { VendorServer } from '../../support/bills/vendor-server.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { type CommandResponse, type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { recordEvents } from '../../support/usage-events.ts';

const adminKey = 'sk-admin-made-up-for-tests';

/** The same month each time; RECONCILE_SEED chooses another one, to search for a false report. */
const seed = Number(process.env.RECONCILE_SEED ?? 7);

/** The month before that of five days ago: final at every vendor. */
const days = (() => {
  const then = new Date(Date.now() - 5 * dayMs);
  const first = Date.UTC(then.getUTCFullYear(), then.getUTCMonth() - 1);
  const end = Date.UTC(then.getUTCFullYear(), then.getUTCMonth());
  return Array.from({ length: (end - first) / dayMs }, (_, n) => dayOf(first + n * dayMs));
})();
const [from = '', to = ''] = [days[0], days.at(-1)];
const on = (plant: keyof typeof plants, later = 0) => days[plants[plant] - 1 + later] ?? '';

const keyNames: readonly KeyName[] = [
  ...(['gpt-main', 'gpt-labs', 'claude-main', 'claude-labs'] as const),
  ...(['bedrock-a', 'bedrock-b', 'studio', 'gemini'] as const),
];
const providers: Readonly<Record<KeyName, string>> = {
  'gpt-main': 'gpt-provider',
  'gpt-labs': 'gpt-provider',
  'claude-main': 'assistant-provider',
  'claude-labs': 'assistant-provider',
  'bedrock-a': 'managed-cloud-models',
  'bedrock-b': 'managed-cloud-models',
  studio: 'studio-ai',
  gemini: 'search-provider',
};

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('the bills of a month over %s', (name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let acme: TestTenant;
  let ctl: Gatewayctl;
  let month: Month;
  let openAi: VendorServer;
  let anthropic: VendorServer;
  const keys = {} as Record<KeyName, string>;
  const directory = mkdtempSync(join(tmpdir(), 'bills-'));
  const file = (called: string, content: string | Buffer) => {
    const path = join(directory, called);
    writeFileSync(path, content);
    return path;
  };

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    acme = await createTenant(plane, await bootstrap(plane), 'acme');
    ctl = await loggedIn(plane.plane.grpcPort, acme.owner.token);
    for (const key of keyNames) {
      const secret = key.startsWith('bedrock')
        ? { accessKeyId: 'A'.repeat(20), secretAccessKey: 'made-up-'.repeat(5) }
        : { apiKey: 'made-up-secret' };
      const request = { organizationId: acme.id, provider: providers[key], name: key, secret };
      keys[key] = (await plane.expect('ProviderKeys.Create', acme.owner.token, request)).id;
    }
    month = makeMonth({ organizationId: acme.id, keys, days, requestsADay: 3, seed });
    store = await database.open();
    await recordEvents(store, month.events);
    openAi = await startOpenAi(adminKey, () => month.openAi);
    anthropic = await startAnthropic(adminKey, () => month.anthropic);
    for (const line of mappings) await ctl.expect(`reconcile map ${line}`);
    await importMonth();
    await compared();
  }, 300_000);
  afterAll(async () => {
    await openAi?.close();
    await anthropic?.close();
    ctl?.remove();
    await plane?.close();
    await database?.drop();
    rmSync(directory, { recursive: true });
  });

  const mappings = [
    ...(['gpt-main', 'gpt-labs'] as const).flatMap((key) => [
      `openai api-key ${accounts[key].apiKey} --provider-key ${key}`,
      `openai project ${accounts[key].project} --provider-key ${key}`,
    ]),
    ...(['claude-main', 'claude-labs'] as const).flatMap((key) => [
      `anthropic api-key ${accounts[key].apiKey} --provider-key ${key}`,
      `anthropic workspace ${accounts[key].project} --provider-key ${key}`,
    ]),
    `aws resource ${accounts['bedrock-a'].project} --provider-key bedrock-a`,
    `aws resource ${accounts['bedrock-b'].project} --provider-key bedrock-b`,
    // A wrong mapping.
    'aws resource arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/b2 --provider-key bedrock-a',
    `azure resource ${accounts.studio.project.toLowerCase()} --provider-key studio`,
    `google project ${accounts.gemini.project} --provider-key gemini`,
  ];

  async function importMonth() {
    const range = ['--from', from, '--to', to];
    const api = (url: string) => [...range, '--api-url', url, '--admin-key-file', '-'];
    const input = `${adminKey}\n`;
    const run = (...words: string[]) => ctl.json(['reconcile', 'import', ...words], { input });
    return {
      openAi: await run('openai', ...api(`${openAi.url}/v1`)),
      anthropic: await run('anthropic', ...api(anthropic.url)),
      aws: await run('aws', ...range, '--file', file('cur.csv.gz', gzipSync(month.aws))),
      azure: await run('azure', ...range, '--file', file('azure.csv', month.azure)),
      google: await run('google', ...range, '--file', file('google.jsonl', month.google)),
    };
  }

  async function compared() {
    const pending = async () =>
      (await plane.expect('Reconciliation.ListDrift', acme.owner.token, { organizationId: acme.id })).daysPending;
    await until(async () => (await pending()) === 0, { what: 'all days to be compared', timeoutMs: 120_000 });
  }

  const list = async (line = ''): Promise<CommandResponse[]> =>
    (await ctl.json(`reconcile list --all ${line}`)).drift ?? [];

  const nameOf = (id: string) => keyNames.find((key) => keys[key] === id) ?? id;

  /** The reported fields of a difference, in a word each. */
  const reported = (row: CommandResponse) => ({
    day: row.day,
    keys: (row.providerKeyIds ?? []).map(nameOf).join('+'),
    model: row.model ?? '',
    codes: row.reasons
      .map(({ code }: CommandResponse) => code.replace('DRIFT_REASON_CODE_', '').toLowerCase())
      .join(','),
    state: row.state.replace('DRIFT_STATE_', '').toLowerCase(),
  });

  const haiku = 'managed-cloud-models/us.anthropic.claude-haiku-4-5-20251001-v1:0';
  const expected = () =>
    [
      ['hangUps', 'gpt-main', 'gpt-provider/gpt-4o', 'estimated'],
      ['countedLow', 'gpt-main', 'gpt-provider/gpt-4o', 'estimated'],
      ['searchesUnbooked', 'gpt-main', '', 'tools'],
      ['recordedPriority', 'gpt-main', 'gpt-provider/gpt-4o-mini', 'service_tier'],
      ['priority', 'gpt-main', 'gpt-provider/gpt-4o-mini', 'service_tier'],
      ['noPrice', 'gpt-main', 'gpt-provider/gpt-9-unknown', 'unpriced'],
      ['foreignKey', 'gpt-main', 'gpt-provider/gpt-4o', 'past_gateway'],
      ['sameKeyElsewhere', 'gpt-main', 'gpt-provider/gpt-4o', 'past_gateway'],
      ['wrongMapping', 'bedrock-a', haiku, 'wrong_mapping'],
      ['wrongMapping', 'bedrock-b', haiku, 'wrong_mapping'],
      ['awsCredit', '', '', 'credit'],
      ['googleCredit', 'gemini', '', 'credit'],
      ['midnight', 'claude-main', 'assistant-provider/claude-sonnet-4-5', 'day_boundary'],
      ['tax', '', '', 'fee'],
      ['otherPrice', 'studio', 'studio-ai/chat-prod', 'price'],
      ['notBilled', 'gemini', 'search-provider/gemini-2.5-flash', 'not_billed'],
      ['foreignProject', '', 'gpt-provider/gpt-4o', 'unmapped'],
      ['batch', 'gpt-labs', 'gpt-provider/gpt-4o-mini', 'past_gateway'],
      ['otherMeter', 'studio', 'studio-ai/s1 speech to text', 'unknown_model'],
    ] as const;

  it('show every planted difference with its reason, and nothing else', async () => {
    const midnightAfter = {
      ...{ day: on('midnight', 1), keys: 'claude-main', model: 'assistant-provider/claude-sonnet-4-5' },
      ...{ codes: 'day_boundary', state: 'explained' },
    };
    const wanted = expected().map(([plant, key, model, codes]) => ({
      ...{ day: on(plant), keys: key, model, codes, state: 'explained' },
    }));
    const found = (await list()).map(reported);
    const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    expect(inOrder(found)).toEqual(inOrder([...wanted, midnightAfter]));
  });

  it('show for each day how much was compared and how much agreed', async () => {
    const rows: CommandResponse[] = (await ctl.json('reconcile days --all')).days;
    const sum = (field: string) => rows.reduce((all, row) => all + Number(row[field] ?? 0), 0);
    const differences = (await list()).length;
    expect(rows).toHaveLength(5 * days.length);
    expect(sum('compared') - sum('agreed')).toBe(differences);
    console.log(
      `bills over ${name}: ${month.events.length} requests, ${sum('compared')} cells of ${rows.length} days compared, ` +
        `${differences} differ, ${sum('agreed')} agree; billed $${sum('billedUsd').toFixed(2)}, ledger $${sum('ledgerUsd').toFixed(2)}`,
    );
    for (const vendor of ['openai', 'anthropic', 'aws', 'azure', 'google']) {
      const billed = rows
        .filter((row) => row.vendor === `BILL_VENDOR_${vendor.toUpperCase()}`)
        .reduce((all, row) => all + Number(row.billedUsd), 0);
      const beside = { aws: -25 + 1.9, azure: 3, google: -5 }[vendor] ?? 0;
      expect(billed).toBeCloseTo((month.billedUsd[vendor] ?? 0) + beside, 4);
    }
  });

  it('change nothing when they are imported again', async () => {
    const before = await list();
    const again = await importMonth();
    for (const { days: imported } of Object.values(again))
      expect(new Set(imported.map(({ outcome }: CommandResponse) => outcome))).toEqual(new Set(['unchanged']));
    await compared();
    const same = ({ comparedAt: _, ...row }: CommandResponse) => row;
    expect((await list()).map(same)).toEqual(before.map(same));
  });

  it('are reported as duplicates when imported under two accounts, until one is deleted', async () => {
    const day = days[1] ?? '';
    const azure = file('azure.csv', month.azure);
    const words = ['reconcile', 'import', 'azure', '--file', azure, '--from', day, '--to', day];
    const { days: imported } = await ctl.json([...words, '--account', 'finance']);
    expect(imported[0].outcome).toContain('account default has exactly the same content');
    await compared();
    const [double, ...others] = await list(`--from ${day} --to ${day}`);
    expect(others).toEqual([]);
    expect(reported(double)).toMatchObject({ keys: 'studio', codes: 'duplicated' });
    expect(Number(double.billedUsd)).toBeCloseTo(2 * Number(double.ledgerUsd), 6);
    await ctl.expect(`reconcile forget azure-costs ${day} ${day} --account finance --yes`);
    await compared();
    expect(await list(`--from ${day} --to ${day}`)).toEqual([]);
  });

  it('are preliminary while the vendor still adds to them, and agree when they are complete', async () => {
    const yesterday = dayOf(Date.now() - dayMs);
    const late = makeMonth({ organizationId: acme.id, keys, days: [yesterday], requestsADay: 4, seed: 8 });
    const ofGemini = late.events.filter(({ provider }) => provider === 'search-provider');
    await recordEvents(store, ofGemini);
    const lines = late.google.split('\n').filter((line) => line.includes(yesterday));
    const imported = (part: readonly string[]) =>
      ctl.expect(['reconcile', 'import', 'google', '--file', file('late.jsonl', part.join('\n'))]);
    await imported(lines.slice(0, 4));
    await compared();
    const [row, ...others] = await list(`--from ${yesterday}`);
    expect(others).toEqual([]);
    expect(reported(row)).toMatchObject({ keys: 'gemini', codes: 'not_final', state: 'preliminary' });
    const early = await ctl.run(`reconcile settle ${row.id} --reason early --yes`);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining('may still change')]);
    await imported(lines);
    await compared();
    expect(await list(`--from ${yesterday}`)).toEqual([]);
  });

  it('are reported once, as events of the audit log, and are in the metrics', async () => {
    const reportedDays = async (): Promise<string[]> => {
      const { events } = await ctl.json('audit list --limit 400');
      const found = events.filter(({ action }: CommandResponse) => action === 'Reconciliation.FindDrift');
      return found.map(({ targetId }: CommandResponse) => targetId).toSorted();
    };
    const vendorOf = (row: CommandResponse) => row.vendor.replace('BILL_VENDOR_', '').toLowerCase();
    const rows = await list();
    const wanted = [...new Set(rows.map((row) => `${vendorOf(row)} ${row.day}`))].toSorted();
    await until(async () => (await reportedDays()).length >= wanted.length, {
      what: 'all days to be reported',
      timeoutMs: 60_000,
    });
    // Neither preliminary differences nor those that two documents have only together are reported.
    expect(await reportedDays()).toEqual(wanted);
    const text = async () => (await fetch(`http://127.0.0.1:${plane.plane.adminPort}/metrics`)).text();
    const metric = `gateway_control_plane_bill_drift_rows{state="explained"} ${rows.length}`;
    await until(async () => (await text()).includes(metric), { what: metric, timeoutMs: 90_000 });
  });

  it('keep exact costs: nothing is lost between document and comparison', async () => {
    const row = (await list(`--from ${on('hangUps')} --to ${on('hangUps')}`))[0];
    const [reason] = row.reasons;
    // 20 reservations of 16,384 output tokens, of which 500 each were generated.
    const wanted = -20 * (16_384 - 500) * 10e-6;
    expect(Number(row.driftUsd)).toBeCloseTo(wanted, 4);
    expect(Number(reason.amountUsd)).toBeCloseTo(wanted, 2);
    expect(nanoOfUsd(row.unexplainedUsd)).toBe(0);
  });
});
