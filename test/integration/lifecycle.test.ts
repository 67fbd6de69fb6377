// The life of a virtual key and of its scope, organization and provider key, against real Redis and real PostgreSQL,
// with two control-plane replicas and three proxies: one watches replica A, one replica B, one may watch either. A
// change at one replica takes effect at every proxy; the time that it took is printed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import { admission, chat, outcomes, type Question, type Turn, turns } from '../support/chat-requests.ts';
import { log } from '../support/figures.ts';
import { providerSecret, startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/process.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { logged, metric } from '../support/telemetry.ts';

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let proxies: readonly TestProxy[];
/** The organization's owner, at either replica. */
let atA: OperatorApi;
let atB: OperatorApi;

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startRedis()]);
  gateway = await startGateway({ databaseUrl: database.url, proxy: { REDIS_URL: redis.url } });
  const replicaB = await gateway.startControlPlane();
  const addresses = [gateway.controlPlane, replicaB].map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  proxies = [
    gateway.proxy,
    await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses[1] }),
    await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses.join(',') }),
  ];
  atA = gateway.organization.api;
  atB = operatorApi(replicaB.httpPort, gateway.organization.ownerToken);
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([redis?.stop(), database?.drop()]);
});
beforeEach(() => gateway.simulator.reset());

/** Makes a change and waits until every proxy returns the new outcome; prints the time since the call's response. */
async function expectTick(what: string, change: () => Promise<unknown>, question: Question, turn: Turn) {
  await change();
  log(`lifecycle: ${what} at three proxies`, await turns(proxies, question, turn));
}

const everywhere = (outcome: string) => proxies.map(() => outcome);
const inactive = '403 access_blocked';
const notFound = '401 access_not_found';

describe('a virtual key', () => {
  it.each([
    ['A', () => atA],
    ['B', () => atB],
  ])('created at replica %s works at once at every proxy', async (_name, replica) => {
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: gateway.organization.id };
    const request = { organizationId: gateway.organization.id, name: `new at ${_name}`, scope };
    const { value } = await replica().call('VirtualKeys/Create', request);
    expect(await outcomes(proxies, chat(String(value)))).toEqual(everywhere('200'));
  });

  it('can call the models that it may call after an update, until its end date', async () => {
    const key = await gateway.organization.createKey();
    const question = chat(key.value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    const allow = (globs: string[]) => () => atB.call('VirtualKeys/Update', { id: key.id, allowedModels: { globs } });
    await expectTick('other models allowed', allow(['gpt-provider/gpt-4.1*']), question, {
      from: '200',
      to: '403 model_not_allowed',
    });
    await expectTick('all models allowed', allow([]), question, { from: '403 model_not_allowed', to: '200' });

    const endsAt = Date.now() + 1000;
    await atA.call('VirtualKeys/Update', { id: key.id, endsAt: new Date(endsAt).toISOString() });
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    await turns(proxies, question, { from: '200', to: inactive });
    log('lifecycle: expired after its end date', Date.now() - endsAt);
    expect((await question(gateway.proxy)).message).toBe('virtual key has expired');
    const clear = () => atA.call('VirtualKeys/Update', { id: key.id, endsAt: '' });
    await expectTick('end date cleared', clear, question, { from: inactive, to: '200' });
  });

  it('can be deactivated and activated again, at one replica and the other', async () => {
    const key = await gateway.organization.createKey();
    const question = admission(key.value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    const set = (replica: OperatorApi, active: boolean) => () =>
      replica.call('VirtualKeys/Update', { id: key.id, active });
    await expectTick('deactivated', set(atA, false), question, { from: '200', to: inactive });
    await expectTick('activated', set(atB, true), question, { from: inactive, to: '200' });
    await expectTick('deactivated again', set(atB, false), question, { from: '200', to: inactive });
  });

  it('that is rotated with grace has two values until the grace ends, then the new one', async () => {
    const key = await gateway.organization.createKey();
    expect(await outcomes(proxies, chat(key.value))).toEqual(everywhere('200'));
    const rotated = await atB.call('VirtualKeys/Rotate', { id: key.id, graceSeconds: 1 });
    const newValue = String(rotated.value);
    const { id, rotatedValues } = rotated.virtualKey as { id: string; rotatedValues: { endsAt: string }[] };
    const graceEnds = Date.parse(rotatedValues[0]?.endsAt ?? '');
    expect(id).toBe(key.id);
    expect(await outcomes(proxies, chat(newValue))).toEqual(everywhere('200'));
    expect(await outcomes(proxies, chat(key.value))).toEqual(everywhere('200'));

    await turns(proxies, chat(key.value), { from: '200', to: notFound });
    expect(Date.now(), 'no sooner than promised').toBeGreaterThanOrEqual(graceEnds);
    log('lifecycle: the old value refused after its grace', Date.now() - graceEnds);
    expect(await outcomes(proxies, chat(newValue))).toEqual(everywhere('200'));
    expect(await loggedKeyId(chat(newValue))).toBe(key.id);
  });

  it('that is rotated without grace: the old value is cached as unknown, the new one works', async () => {
    const key = await gateway.organization.createKey();
    expect(await outcomes(proxies, admission(key.value))).toEqual(everywhere('200'));
    let newValue = '';
    const rotate = async () => {
      newValue = String((await atA.call('VirtualKeys/Rotate', { id: key.id })).value);
    };
    await expectTick('rotated', rotate, admission(key.value), { from: '200', to: notFound });
    await outcomes(proxies, admission(key.value));
    const before = await remembered();
    for (let again = 0; again < 3; again++)
      expect(await outcomes(proxies, admission(key.value))).toEqual(everywhere(notFound));
    expect(await remembered(), 'refused from memory').toEqual(before.map((count) => count + 3));
    expect(await outcomes(proxies, admission(newValue))).toEqual(everywhere('200'));
  });

  it.each([
    ['A', () => atA],
    ['B', () => atB],
  ])('revoked at replica %s is refused at every proxy', async (_name, replica) => {
    const key = await gateway.organization.createKey();
    const question = admission(key.value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    const revoke = () => replica().call('VirtualKeys/Revoke', { id: key.id });
    await expectTick('revoked', revoke, question, { from: '200', to: notFound });
  });

  it('that does not exist is looked up once and then cached as unknown', async () => {
    const made = admission(createCredential('virtualKey'));
    expect(await outcomes(proxies, made)).toEqual(everywhere(notFound));
    const before = await remembered();
    expect(await outcomes(proxies, made)).toEqual(everywhere(notFound));
    expect(await remembered()).toEqual(before.map((count) => count + 1));
  });
});

describe('behind a virtual key,', () => {
  it('the AI system stops its keys when inactive, and revokes them when deleted', async () => {
    const organizationId = gateway.organization.id;
    const system = await atA.call('AiSystems/Create', { organizationId, name: 'assistant' });
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const question = admission((await gateway.organization.createKey({ scope })).value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    const set = (active: boolean) => () => atB.call('AiSystems/Update', { id: system.id, active });
    await expectTick('AI system stopped', set(false), question, { from: '200', to: inactive });
    await expectTick('AI system active again', set(true), question, { from: inactive, to: '200' });
    const remove = () => atB.call('AiSystems/Delete', { id: system.id });
    await expectTick('AI system deleted', remove, question, { from: '200', to: notFound });
  });

  it('the organization allows and forbids callers’ own provider keys', async () => {
    const { id, createKey } = gateway.organization;
    const { value } = await createKey();
    const own = { authorization: 'Bearer sk-sim-own-0123456789abcdef', 'x-svc-direct-key': 'true' };
    const question = chat(value, {}, { ...own, 'x-svc-vk': value });
    const forbidden = '403 policy_access_denied';
    expect(await outcomes(proxies, question)).toEqual(everywhere(forbidden));
    const set = (replica: OperatorApi, callerProviderKeys: boolean) => () =>
      replica.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys } } });
    await expectTick('own keys allowed', set(atA, true), question, { from: forbidden, to: '200' });
    await expectTick('own keys forbidden', set(atB, false), question, { from: '200', to: forbidden });
  });

  it('the organization is suspended and resumed', async () => {
    const { id, createKey } = gateway.organization;
    const question = admission((await createKey()).value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    const suspend = () => gateway.platform.call('Organizations/Suspend', { id });
    await expectTick('suspended', suspend, question, { from: '200', to: inactive });
    const resume = () => gateway.platform.call('Organizations/Resume', { id });
    await expectTick('resumed', resume, question, { from: inactive, to: '200' });
  });

  it('the provider key is replaced, disabled and enabled', async () => {
    const question = chat((await gateway.organization.createKey()).value);
    expect(await outcomes(proxies, question)).toEqual(everywhere('200'));
    expect(await sentSecrets(question)).toEqual(everywhere(providerSecret));
    const id = await storedProviderKey();
    const apiKey = 'sk-sim-replaced-0123456789abcdef';
    await atB.call('ProviderKeys/Update', { id, secret: { apiKey } });
    const replacedAt = performance.now();
    await until(async () => (await sentSecrets(question)).every((sent) => sent === apiKey), {
      timeoutMs: 2500,
    });
    log('lifecycle: provider key replaced at three proxies', performance.now() - replacedAt);
    const none = '404 provider_not_configured';
    const set = (replica: OperatorApi, enabled: boolean) => () => replica.call('ProviderKeys/Update', { id, enabled });
    await expectTick('provider key disabled', set(atA, false), question, { from: '200', to: none });
    await expectTick('provider key enabled', set(atB, true), question, { from: none, to: '200' });
  });
});

/** For each proxy, how many look-ups it served with a cached "unknown". */
function remembered(): Promise<readonly number[]> {
  return Promise.all(proxies.map((proxy) => metric(proxy, 'gateway_key_lookups_total', { tier: 'negative' })));
}

/** The key id in the log line of a request. */
async function loggedKeyId(question: Question): Promise<unknown> {
  const id = (await question(gateway.proxy)).headers['x-request-id'];
  const line = await until(() => logged(gateway.logs, 'request').find((found) => found.request_id === id));
  return line.key_id;
}

/** The provider secret that each proxy sends, one proxy after the other. */
async function sentSecrets(question: Question): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (const proxy of proxies) {
    expect((await question(proxy)).outcome).toBe('200');
    secrets.push(String(gateway.simulator.requests.at(-1)?.headers.authorization).replace('Bearer ', ''));
  }
  return secrets;
}

async function storedProviderKey(): Promise<string> {
  const request = { organizationId: gateway.organization.id };
  const { providerKeys } = (await atA.call('ProviderKeys/List', request)) as {
    providerKeys: { id: string }[];
  };
  return providerKeys[0]?.id ?? '';
}
