// The real client of Access against a real control plane on SQLite: record sources see operators' changes, and ten of
// them see a revocation in time.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackground } from '../../../common/background.ts';
import { systemClock } from '../../../common/clock.ts';
import { hashCredential } from '../../../common/credential.ts';
import { Secret } from '../../../common/secret.ts';
import { RateShare } from '../../../common/shares.ts';
import { systemTimers } from '../../../common/timers.ts';
import { accessLimits } from '../../../proxy/access/limits.ts';
import type { Principal } from '../../../proxy/access/principal.ts';
import { createRecordSource, type LiveRecordSource } from '../../../proxy/access/record-source.ts';
import { type ControlPlaneOptions, createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { type ControlPlaneTlsFiles, openControlPlaneTls } from '../../../proxy/control-plane/client-tls.ts';
import { GatewayError } from '../../../proxy/errors.ts';
import { shares } from '../../../proxy/shares.ts';
import { hourMs } from '../../support/access/one-proxy.ts';
import { log } from '../../support/figures.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freshName,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { createAuthority, install, type TestAuthority } from '../../support/tls.ts';

let plane: OperatorsPlane;
let tenant: TestTenant;
let token: string;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  plane = await startOperatorsPlane();
  closers.push(() => plane.close());
  const platform = await bootstrap(plane);
  tenant = await createTenant(plane, platform, 'acme');
  token = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
});

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

function startSource(options: Partial<ControlPlaneOptions> = {}): LiveRecordSource {
  const controlPlane = createControlPlaneClient({
    addresses: [`127.0.0.1:${plane.plane.grpcPort}`],
    token: new Secret(token),
    credentials: undefined,
    allowPlaintext: false,
    ...options,
  });
  const source = createRecordSource({
    controlPlane,
    maxStaleMs: hourMs,
    limits: accessLimits,
    unknownCredentials: new RateShare(shares.unknown_credentials.bounds),
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    log: silentLog,
    background: createBackground({ log: silentLog }),
    metrics: { lookup: () => {}, cacheIgnored: () => {}, cacheFailed: () => {} },
  });
  closers.push(() => {
    source.close();
    controlPlane.close();
  });
  return source;
}

async function startLive(): Promise<LiveRecordSource> {
  const source = startSource();
  await until(() => source.feed().state === 'live', { what: 'the feed to be live' });
  return source;
}

let addresses = 0;

async function find(source: LiveRecordSource, value: string): Promise<Principal | 'access_not_found'> {
  addresses += 1;
  try {
    return await source.find(
      hashCredential(value),
      `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`,
    );
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'access_not_found') return 'access_not_found';
    throw error;
  }
}

const call = (method: string, request: object) => plane.expect(method, tenant.owner.token, request);

describe('record sources see', () => {
  it('the life of a key: create, deactivate, reactivate, rotate with grace, revoke', async () => {
    const source = await startLive();
    const { value, virtualKey } = await createKey(plane, tenant);
    const { id } = virtualKey;
    expect(await find(source, value)).toMatchObject({ key: { keyId: id, active: true } });
    const becomes = (seen: string, expected: object | string) =>
      until(
        async () => {
          const found = await find(source, seen);
          return typeof expected === 'string' ? found === expected : matches(found, expected);
        },
        { timeoutMs: 2_500, what: `the key to become ${JSON.stringify(expected)}` },
      );
    await call('VirtualKeys.Update', { id, active: false });
    await becomes(value, { active: false });
    await call('VirtualKeys.Update', { id, active: true, allowedModels: { globs: ['gpt-provider/*'] } });
    await becomes(value, { active: true, allowedModels: ['gpt-provider/*'] });
    const rotated = await call('VirtualKeys.Rotate', { id, graceSeconds: 1 });
    expect(await find(source, rotated.value)).toMatchObject({ key: { keyId: id } });
    expect(await find(source, value)).toMatchObject({ key: { keyId: id } });
    await becomes(value, 'access_not_found');
    await call('VirtualKeys.Revoke', { id });
    await becomes(rotated.value, 'access_not_found');
  });

  it.each([
    ['key', 'VIRTUAL_KEY'],
    ['scope', 'AI_SYSTEM'],
    ['organization', 'ORGANIZATION'],
  ] as const)('the limits of the %s, through every value of the key', async (level, kind) => {
    const organizationId = tenant.id;
    const system = await call('AiSystems.Create', { organizationId, name: freshName('system') });
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const { value, virtualKey } = await createKey(plane, tenant, { scope });
    const { value: rotated } = await call('VirtualKeys.Rotate', { id: virtualKey.id, graceSeconds: 600 });
    // A source that nothing else causes to resolve again.
    const source = await startLive();
    const limitsOf = async (sent: string) => {
      const found = await find(source, sent);
      return typeof found === 'string' ? found : found[level]?.limits;
    };
    const become = async (limits: object[]) => {
      for (const sent of [value, rotated]) {
        await until(async () => isDeepStrictEqual(await limitsOf(sent), limits), {
          timeoutMs: 2_500,
          what: `limits of the ${level} to become ${JSON.stringify(limits)}`,
        });
      }
    };
    await become([]);
    const ids = { key: virtualKey.id, scope: system.id, organization: organizationId };
    const subject = { kind: `LIMIT_SUBJECT_KIND_${kind}`, id: ids[level] };
    const model = 'gpt-provider/*';
    const fields = { kind: 'LIMIT_KIND_TOKENS_PER_MINUTE', count: 1_000_000, model };
    const { id } = await call('Limits.Create', { organizationId, subject, ...fields });
    const seen = { id, kind: 'tokens_per_minute', amountUsd: undefined, period: undefined, model };
    await become([{ ...seen, count: 1_000_000 }]);
    await call('Limits.Update', { id, count: 2_000_000 });
    await become([{ ...seen, count: 2_000_000 }]);
    await call('Limits.Delete', { id });
    await become([]);
  });

  it('changes of the organization, including provider keys', async () => {
    const source = await startLive();
    const { value } = await createKey(plane, tenant);
    expect(await find(source, value)).toMatchObject({ organization: { callerProviderKeys: false } });
    await call('Organizations.UpdateSettings', {
      id: tenant.id,
      settings: { access: { callerProviderKeys: true } },
    });
    await call('ProviderKeys.Create', {
      organizationId: tenant.id,
      provider: 'gpt-provider',
      name: 'stored',
      secret: { apiKey: 'sk-sim-stored-0123456789' },
    });
    const principal = await until(
      async () => {
        const found = await find(source, value);
        return typeof found !== 'string' && found.organization.providerKeys.length > 0 ? found : undefined;
      },
      { what: 'the provider key to be seen' },
    );
    expect(principal.organization.callerProviderKeys).toBe(true);
    expect(principal.organization.providerKeys[0]?.secret.apiKey?.reveal()).toBe('sk-sim-stored-0123456789');
  });
});

describe('a revocation', () => {
  it('is seen by ten record sources with a connected feed', async () => {
    const sources = await Promise.all(Array.from({ length: 10 }, startLive));
    const delays: number[] = [];
    for (let round = 0; round < 30; round++) {
      const { value, virtualKey } = await createKey(plane, tenant);
      for (const source of sources) expect(await find(source, value)).toMatchObject({ key: { active: true } });
      await call('VirtualKeys.Revoke', { id: virtualKey.id });
      const from = performance.now();
      const seen = sources.map(async (source) => {
        await until(async () => (await find(source, value)) === 'access_not_found');
        return performance.now() - from;
      });
      delays.push(...(await Promise.all(seen)));
    }
    log('revocation seen by ten record sources', delays);
    expect(Math.max(...delays)).toBeLessThan(10 * 250);
  });
});

describe('a proxy that may not call Access', () => {
  it('returns 503 for every key, because it cannot know any', async () => {
    const { value } = await createKey(plane, tenant);
    const source = startSource({ token: new Secret(tenant.owner.token) });
    await expect(find(source, value)).rejects.toMatchObject({ code: 'access_unavailable' });
  });
});

describe("a proxy's connection over TLS", () => {
  const startSecured = async (authority: TestAuthority) => {
    const server = await authority.issue({ commonName: 'control plane' });
    const secured = await startOperatorsPlane({
      env: {
        GATEWAY_TLS_CERT_FILE: server.certFile,
        GATEWAY_TLS_KEY_FILE: server.keyFile,
        GATEWAY_TLS_CLIENT_CA_FILE: authority.caFile,
        GATEWAY_PROXY_CERTIFICATES: 'egress.example.com',
      },
    });
    closers.push(() => secured.close());
    return secured;
  };

  it('needs only a client certificate as identity, and refuses an unknown authority', async () => {
    const [authority, stranger] = await Promise.all([createAuthority(), createAuthority('stranger')]);
    closers.push(() => authority.remove());
    closers.push(() => stranger.remove());
    const own = await authority.issue({ commonName: 'proxy', names: ['DNS:egress.example.com'] });
    const secured = await startSecured(authority);
    const start = async (files: ControlPlaneTlsFiles, at: { host?: string; name?: string } = {}) => {
      const tls = await openControlPlaneTls(files, silentLog);
      closers.push(() => tls.close());
      const { host = 'localhost', name } = at;
      const addressed = { addresses: [`${host}:${secured.plane.grpcPort}`], token: undefined };
      return startSource({ ...addressed, name, credentials: tls.credentials });
    };
    const trusted = await start({ caFile: authority.caFile, ...own });
    await until(() => trusted.feed().state === 'live', { what: 'the feed over mutual TLS' });
    expect(await find(trusted, 'whatever')).toBe('access_not_found');
    const addressed = await start({ caFile: authority.caFile, ...own }, { host: '127.0.0.1', name: 'localhost' });
    await until(() => addressed.feed().state === 'live', { what: 'the feed by an address, under its name' });
    const misnamed = await start({ caFile: authority.caFile, ...own }, { name: 'other.example.com' });
    await expect(find(misnamed, 'whatever')).rejects.toMatchObject({ code: 'access_unavailable' });
    const suspicious = await start({ caFile: stranger.caFile, certFile: undefined, keyFile: undefined });
    await expect(find(suspicious, 'whatever')).rejects.toMatchObject({ code: 'access_unavailable' });
  });

  it('is the one of the newest certificate, also where the one before had expired', async () => {
    const authority = await createAuthority();
    closers.push(() => authority.remove());
    const request = { commonName: 'proxy', names: ['DNS:egress.example.com'] };
    const [valid, expired] = [await authority.issue(request), await authority.issue({ ...request, days: 0 })];
    const files = { certFile: `${authority.caFile}.own.crt`, keyFile: `${authority.caFile}.own.key` };
    install(expired, files);
    const secured = await startSecured(authority);
    const tls = await openControlPlaneTls({ caFile: authority.caFile, ...files }, silentLog);
    closers.push(() => tls.close());
    const { credentials, onRenewal } = tls;
    const addresses = [`localhost:${secured.plane.grpcPort}`];
    const source = startSource({ addresses, token: undefined, credentials, onRenewal });
    await expect(find(source, 'whatever')).rejects.toMatchObject({ code: 'access_unavailable' });
    expect(source.feed().state).not.toBe('live');
    install(valid, files);
    await until(() => source.feed().state === 'live', { what: 'the feed over the renewed certificate' });
    expect(await find(source, 'whatever')).toBe('access_not_found');
  });

  it('fails with the name of a file that cannot be read', async () => {
    const files = { caFile: '/nowhere/ca.pem', certFile: undefined, keyFile: undefined };
    await expect(openControlPlaneTls(files, silentLog)).rejects.toThrow('/nowhere/ca.pem');
  });
});

function matches(found: Principal | string, expected: object): boolean {
  if (typeof found === 'string') return false;
  return Object.entries(expected).every(
    ([name, value]) => JSON.stringify(Reflect.get(found.key, name)) === JSON.stringify(value),
  );
}
