// Proxies' reports of their guardrails' decisions, over both databases: each sample becomes one event in the audit log
// of its organization, without content.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../../common/uuid.ts';
import {
  createReportDecisions,
  eventsPerMinuteMax,
  sampleAgeMsMax,
} from '../../../control-plane/services/guardrail-decisions.ts';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import type { GuardrailDecisionSample__Output } from '../../../proto/generated/gateway/v1/GuardrailDecisionSample.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('decisions of guardrails over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let proxy: JsonResponse;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxy = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const guardrail = async (tenant = acme): Promise<string> => {
    const request = {
      ...{ organizationId: tenant.id, name: freshName('guardrail').replace(' ', '-') },
      ...{ stage: 'GUARDRAIL_STAGE_BOTH', action: 'GUARDRAIL_ACTION_BLOCK' },
      check: { words: { phrases: ['Rosebud'] } },
    };
    return (await plane.expect('Guardrails.Create', tenant.owner.token, request)).guardrail.id;
  };
  const sample = (
    guardrailId: string,
    more: Partial<GuardrailDecisionSample__Output> = {},
  ): GuardrailDecisionSample__Output => ({
    ...{ id: uuidv7(), guardrailId, organizationId: acme.id, keyId: randomUUID(), requestId: 'request-1' },
    ...{ stage: 'GUARDRAIL_STAGE_OUTPUT', decision: 'GUARDRAIL_DECISION_BLOCK', decisions: 3 },
    ...{ at: new Date().toISOString(), ...more },
  });
  const report = (samples: readonly object[], token: string = proxy.value) =>
    plane.call('Guardrails.ReportDecisions', token, { samples });
  const eventsOf = async (id: string, tenant = acme): Promise<JsonResponse[]> => {
    const request = { organizationId: tenant.id, targetId: id };
    const { events } = await plane.expect('Audit.List', tenant.owner.token, request);
    return events.filter(({ action }: JsonResponse) => action !== 'Guardrails.Create');
  };

  it('become events of the virtual key with the number of decisions', async () => {
    const id = await guardrail();
    const reported = sample(id);
    expect(await report([reported])).toMatchObject({ code: 'OK' });
    const [event, ...more] = await eventsOf(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      ...{
        action: 'guardrail.blocked',
        actorKind: 'virtual_key',
        actorId: reported.keyId,
        from: '127.0.0.1',
      },
      ...{ targetKind: 'guardrail', targetId: id, organizationId: acme.id },
    });
    expect(event).not.toHaveProperty('before');
    expect(JSON.parse(event.after)).toEqual({
      ...{ stage: 'output', requestId: 'request-1', decisions: 3, at: reported.at },
      proxy: proxy.proxyToken.id,
    });
  });

  it.each([
    ['PASS', 'guardrail.passed'],
    ['REDACT', 'guardrail.redacted'],
    ['OBSERVE', 'guardrail.observed'],
    ['FAILED_PASS', 'guardrail.failed_passed'],
    ['FAILED_BLOCK', 'guardrail.failed_blocked'],
    ['UNAVAILABLE', 'guardrail.unavailable'],
  ] as const)('are named by the decision: %s is %s', async (decision, action) => {
    const id = await guardrail();
    await report([sample(id, { decision: `GUARDRAIL_DECISION_${decision}` })]);
    expect(await eventsOf(id)).toMatchObject([{ action }]);
  });

  it('are recorded once, even if sent several times or twice in one report', async () => {
    const id = await guardrail();
    const [first, second] = [sample(id), sample(id)];
    await report([first, first]);
    await Promise.all([report([first, second]), report([second, first])]);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  it('leave the chain of the log intact', async () => {
    const id = await guardrail();
    await report(Array.from({ length: 5 }, () => sample(id)));
    expect(await eventsOf(id)).toHaveLength(5);
    expect(await store.snapshot((db) => verifyAuditChain(db))).toMatchObject({ intact: true });
  });

  it('of missing or foreign guardrails are dropped, and the others recorded', async () => {
    const [mine, foreign] = [await guardrail(), await guardrail(other)];
    const samples = [
      sample(randomUUID()),
      sample(mine, { organizationId: randomUUID() }),
      sample(foreign),
      sample(mine),
    ];
    expect(await report(samples)).toMatchObject({ code: 'OK' });
    expect(await eventsOf(mine)).toHaveLength(1);
    expect(await eventsOf(foreign, other)).toEqual([]);
  });

  it('that are a day old, or a day ahead, are dropped, because it is unknown whether they were recorded', async () => {
    const id = await guardrail();
    const at = (ms: number) => ({ at: new Date(Date.now() + ms).toISOString() });
    const margin = 60_000;
    await report([-sampleAgeMsMax - margin, sampleAgeMsMax + margin].map((ms) => sample(id, at(ms))));
    expect(await eventsOf(id)).toEqual([]);
    await report([-sampleAgeMsMax + margin, sampleAgeMsMax - margin].map((ms) => sample(id, at(ms))));
    expect(await eventsOf(id)).toHaveLength(2);
  });

  it('are forgotten when they can no longer be sent again', async () => {
    const id = await guardrail();
    const old = { id: randomUUID(), recorded_at: Date.now() - 2 * sampleAgeMsMax - 60_000 };
    const kept = { id: randomUUID(), recorded_at: Date.now() - 2 * sampleAgeMsMax + 60_000 };
    await store.ledger(({ db }) => db.insertInto('guardrail_samples').values([old, kept]).execute());
    await report([sample(id)]);
    const rows = await store.snapshot((db) =>
      db.selectFrom('guardrail_samples').select('id').where('id', 'in', [old.id, kept.id]).execute(),
    );
    expect(rows).toEqual([{ id: kept.id }]);
  });

  it(`of one kind make at most ${eventsPerMinuteMax} events a minute, and each kind has its own limit`, async () => {
    const id = await guardrail();
    let ms = 59_999;
    const clock = { now: () => Date.now(), monotonic: () => ms };
    const reportDecisions = createReportDecisions({ store, clock });
    const caller = { kind: 'proxy', id: 'proxy-1', organizationId: undefined, from: '192.0.2.1' } as const;
    const observe = { decision: 'GUARDRAIL_DECISION_OBSERVE' } as const;
    const many = Array.from({ length: eventsPerMinuteMax + 1 }, () => sample(id, observe));
    await reportDecisions(caller, { samples: [...many, sample(id)] });
    expect(await eventsOf(id)).toHaveLength(eventsPerMinuteMax + 1);
    await reportDecisions(caller, { samples: [sample(id, observe)] });
    expect(await eventsOf(id)).toHaveLength(eventsPerMinuteMax + 1);
    ms = 60_000;
    await reportDecisions(caller, { samples: [sample(id, observe)] });
    expect(await eventsOf(id)).toHaveLength(eventsPerMinuteMax + 2);
  });

  it('of another organization than the proxy’s are refused as a whole', async () => {
    const [mine, foreign] = [await guardrail(), await guardrail(other)];
    const request = { name: freshName('bound'), organizationId: acme.id };
    const { value } = await plane.expect('ProxyTokens.Create', platform.token, request);
    const samples = [sample(mine), sample(foreign, { organizationId: other.id })];
    expect(await refusal(report(samples, value))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await eventsOf(mine)).toEqual([]);
    expect(await report([sample(mine)], value)).toMatchObject({ code: 'OK' });
    expect(await eventsOf(mine)).toHaveLength(1);
  });

  it('are at most a hundred per report, and every wrong field is named', async () => {
    const id = await guardrail();
    const dropped = Array.from({ length: 100 }, () => sample(randomUUID()));
    expect(await report(dropped)).toMatchObject({ code: 'OK' });
    expect(await violated(report([...dropped, sample(id)]))).toEqual(['samples']);
    const wrong: Partial<GuardrailDecisionSample__Output> = {
      id: 'x',
      guardrailId: '',
      organizationId: 'x',
      keyId: 'x',
      requestId: 'a b',
      stage: 'GUARDRAIL_STAGE_BOTH',
      decision: 'GUARDRAIL_DECISION_NOT_TRIED',
      at: 'soon',
      decisions: 0,
    };
    const names = ['id', 'guardrail_id', 'organization_id', 'key_id', 'request_id'];
    names.push('stage', 'decision', 'at', 'decisions');
    expect(await violated(report([sample(id), sample(id, wrong)]))).toEqual(names.map((name) => `samples[1].${name}`));
    expect(await eventsOf(id)).toEqual([]);
  });
});
