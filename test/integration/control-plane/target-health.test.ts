// What proxies report of their targets, as operators see it: each organization its own, platform operators the sums.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../common/secret.ts';
import type { TargetReport } from '../../../proto/generated/gateway/v1/TargetReport.ts';
import { createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import {
  bootstrap,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';

const mini = 'gpt-provider/gpt-4o-mini';
const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'];

describe('the health of targets', () => {
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let globex: TestTenant;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    plane = await startOperatorsPlane();
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    globex = await createTenant(plane, platform, 'globex');
  });
  afterAll(async () => {
    for (const end of ends) end();
    await plane.close();
  });

  /** A proxy with these targets until the test ends. @returns reports others */
  async function reporting(first: readonly TargetReport[], boundTo?: TestTenant) {
    let targets = first;
    const bound = boundTo && { organizationId: boundTo.id };
    const { value } = await plane.expect('ProxyTokens.Create', platform.token, {
      name: `proxy ${ends.length}`,
      ...bound,
    });
    const client = createControlPlaneClient({
      ...{ addresses: [`127.0.0.1:${plane.plane.grpcPort}`], token: new Secret(value) },
      ...{ credentials: undefined, allowPlaintext: false },
      self: {
        ...{ version: '0.1.0', host: `proxy-${ends.length}`, redis: () => 'ok' },
        catalog: () => ({ asOf: '2026-01-01', digest: '0123456789abcdef', rejected: false, shippedAsOf: '2026-01-01' }),
        targets: () => ({ targets: [...targets] }),
      },
    });
    const stream = client.watch(
      { since: undefined, maxStaleMs: 60_000 },
      { message: () => undefined, closed: () => undefined },
    );
    let nonce = 0;
    ends.push(() => {
      stream.cancel();
      client.close();
    });
    return (others: readonly TargetReport[]) => {
      targets = others;
      stream.ask(++nonce);
    };
  }

  const ejected = (organizationId: string, model = mini, since = early): TargetReport => ({
    ...{ organizationId, model, since },
    ...{ state: 'TARGET_STATE_EJECTED', lastFailure: 'TARGET_FAILURE_TIMEOUT' },
  });

  async function healthOf(tenant: TestTenant, fields: object = {}) {
    const { models } = await plane.expect('Models.List', tenant.owner.token, {
      ...{ organizationId: tenant.id, pageSize: 500 },
      ...fields,
    });
    const listed: readonly JsonResponse[] = models;
    return new Map(listed.map(({ name, health }) => [name, health ?? undefined]));
  }

  async function settled(tenant: TestTenant, model: string, expected: object | undefined) {
    await until(
      async () => {
        const health = (await healthOf(tenant)).get(model);
        return expected === undefined ? health === undefined : health && matches(health, expected);
      },
      { what: `the health of ${model}` },
    );
  }

  it('is summed over proxies for the organization that the reports are of, and nobody else sees it', async () => {
    await reporting([ejected(acme.id)]);
    const change = await reporting([ejected(acme.id, mini, late)]);
    await reporting([{ organizationId: acme.id, model: mini, state: 'TARGET_STATE_HEALTHY', since: early }]);
    await reporting([], globex);
    const sum = { proxies: 3, ejected: 2, limited: 0, healthy: 1, since: early, lastFailure: 'TARGET_FAILURE_TIMEOUT' };
    await settled(acme, mini, sum);
    expect([...(await healthOf(acme, { ejectedOrLimited: true })).keys()]).toEqual([mini]);
    expect([...(await healthOf(globex)).values()].filter((health) => health !== undefined)).toEqual([]);
    expect([...(await healthOf(globex, { ejectedOrLimited: true })).keys()]).toEqual([]);
    change([]);
    await settled(acme, mini, { proxies: 3, ejected: 1, healthy: 1, since: early });
  });

  it('counts a provider key’s limit for the models of its provider', async () => {
    const providerKey = await plane.expect('ProviderKeys.Create', acme.owner.token, {
      ...{ organizationId: acme.id, provider: 'assistant-provider', name: 'claude' },
      secret: { apiKey: 'sk-ant-test' },
    });
    const limited = { state: 'TARGET_STATE_LIMITED', since: late, lastFailure: 'TARGET_FAILURE_RATE_LIMIT' } as const;
    await reporting([
      { organizationId: acme.id, providerKeyId: providerKey.id, ...limited },
      // No key of globex: nothing is shown of it there.
      { organizationId: globex.id, providerKeyId: providerKey.id, ...limited },
    ]);
    await until(async () => (await healthOf(acme, { ejectedOrLimited: true })).size > 1, { what: 'the limit' });
    const names = [...(await healthOf(acme, { ejectedOrLimited: true })).keys()];
    expect(names.filter((name) => !name.startsWith('assistant-provider/'))).toEqual([mini]);
    expect([...(await healthOf(globex, { ejectedOrLimited: true })).keys()]).toEqual([]);
  });

  it('takes no report of a bound proxy for another organization, and no text that is none of a target', async () => {
    const model = 'gpt-provider/gpt-4o';
    await reporting([ejected(acme.id, model), ejected(globex.id, model)], globex);
    await settled(globex, model, { proxies: 6, ejected: 1 });
    expect((await healthOf(acme)).get(model)).toBeUndefined();
    const change = await reporting([
      ejected('globex', model),
      ejected(globex.id, '<script>alert(1)</script>'),
      { ...ejected(globex.id, model), since: 'yesterday' },
      { ...ejected(globex.id, model), state: 'TARGET_STATE_UNSPECIFIED' },
      ...Array.from({ length: 600 }, (_, index) => ejected(globex.id, `gpt-provider/invented-${index}`)),
    ]);
    change([ejected(globex.id, model, '2999-01-01T00:00:00.000Z')]);
    await settled(globex, model, { proxies: 7, ejected: 2, since: early });
    expect([...(await healthOf(globex, { ejectedOrLimited: true })).keys()]).toEqual([model]);
  });

  it('has sums of providers for platform operators, without the names that organizations give theirs', async () => {
    await reporting([ejected(acme.id, 'secret-project/large'), ejected(globex.id, 'assistant-provider/claude-x')]);
    const status = await until(
      async () => {
        const read = await plane.expect('Status.Get', platform.token);
        return read.providers.some(({ provider }: JsonResponse) => provider === '') ? read : undefined;
      },
      { what: 'the sums' },
    );
    expect(JSON.stringify(status)).not.toContain('secret-project');
    expect(status.providers).toMatchObject([
      { provider: '', ejected: 1, organizations: 1, lastFailure: 'TARGET_FAILURE_TIMEOUT' },
      { provider: 'assistant-provider', ejected: 1, limited: 1, organizations: 2 },
      { provider: 'gpt-provider', ejected: 3, healthy: 1, organizations: 2, since: early },
    ]);
    const proxy = status.watchers.watchers.find(({ host }: JsonResponse) => host === 'proxy-2');
    expect(proxy.providers).toMatchObject([{ provider: 'gpt-provider', healthy: 1, organizations: 0 }]);
    const owners = await plane.expect('Status.Get', acme.owner.token);
    expect(owners.providers).toEqual([]);
  });
});

function matches(health: JsonResponse, expected: object): boolean {
  return Object.entries(expected).every(([name, value]) => health[name] === value);
}
