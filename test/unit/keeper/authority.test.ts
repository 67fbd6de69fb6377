// The keeper as certificate authority over many years in a few seconds. Every program that rereads its files trusts
// every other at any time, even with files that are months old.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { certificatesIn } from '../../../common/certificate-ends.ts';
import type { JsonObject } from '../../../common/json.ts';
import { type ApiClient, ApiError } from '../../../keeper/api/client.ts';
import { metadataOf, paths, textsIn, versionOf } from '../../../keeper/api/sources.ts';
import {
  authoritiesSecret,
  type CertificateKeeper,
  createCertificateKeeper,
  sidecarsCaSecret,
} from '../../../keeper/authority/keep.ts';
import { type Leaf, leavesOf, tenantLeaf } from '../../../keeper/authority/leaves.ts';
import { mergePatch, recordedObject } from '../../support/recorded-api.ts';
import { silentLog } from '../../support/silent-log.ts';

const day = 86_400_000;
const [certificateLife, authorityLife] = [90 * day, 720 * day];
const namespace = 'model-gateway';

let now: number;
const stored = new Map<string, JsonObject>();

beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00Z');
  stored.clear();
});

/**
 * Serves objects by path, with versions like those of the API server. HTTPS would be too slow for some 10,000 requests.
 */
const client: ApiClient = {
  get: async (path) => {
    await Promise.resolve();
    return stored.get(path) ?? fail(404, 'not found');
  },
  patch: async (path, patch) => {
    await Promise.resolve();
    const object = stored.get(path) ?? fail(404, 'not found');
    const { metadata, ...rest } = patch as { metadata: JsonObject };
    if (versionOf(patch as JsonObject) !== versionOf(object)) fail(409, 'the object has been modified');
    const resourceVersion = String(Number(versionOf(object)) + 1);
    const patched = {
      ...mergePatch(object, rest),
      metadata: { ...metadataOf(object), ...metadata, resourceVersion },
    };
    stored.set(path, patched);
    return patched;
  },
  delete: () => fail(405, 'nothing is deleted'),
  watch: () => fail(405, 'nothing is watched'),
  close: () => {},
};

function fail(status: number, message: string): never {
  throw new ApiError(status, message);
}

const ofTenant = tenantLeaf('app');
const leaves: readonly Leaf[] = [...leavesOf(namespace), ofTenant];
const locationOf = (secret: string) => ({
  namespace: secret === ofTenant.secret ? 'app' : namespace,
  name: secret,
});

function install(): void {
  for (const name of [authoritiesSecret, sidecarsCaSecret, ...leaves.map(({ secret }) => secret)]) put(name, {});
}

function put(name: string, data: Readonly<Record<string, string>>): void {
  const { namespace: location } = locationOf(name);
  const entries = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  stored.set(paths.secret(location, name), {
    ...recordedObject('secret-empty'),
    data: Object.fromEntries(entries),
  });
}

function dataOf(name: string): Readonly<Record<string, string>> {
  const { data } = stored.get(paths.secret(locationOf(name).namespace, name)) ?? {};
  const entries = Object.entries(textsIn(data));
  return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
}

function keeperWith(isLeader: () => boolean): CertificateKeeper {
  return createCertificateKeeper({
    ...{ client, log: silentLog, namespace, isLeader },
    clock: { now: () => now, monotonic: () => now },
    ...{ certificateLifeMs: certificateLife, authorityLifeMs: authorityLife },
  });
}

async function round(keeper: CertificateKeeper): Promise<void> {
  await keeper.run();
  await keeper.keepLeaf(ofTenant, locationOf(ofTenant.secret));
}

function isBelieved(certificate: string, bundle: string): boolean {
  const leaf = new X509Certificate(certificate);
  const isValid = ({ validFromDate, validToDate }: X509Certificate) =>
    validFromDate.getTime() <= now && now < validToDate.getTime();
  const signed = (one: X509Certificate) => isValid(one) && leaf.checkIssued(one) && leaf.verify(one.publicKey);
  return isValid(leaf) && certificatesIn(bundle).some(signed);
}

it('every certificate is trusted at any time, with the authorities of today and with those of 100 days ago', async () => {
  install();
  const keeper = keeperWith(() => true);
  const known: { readonly at: number; readonly bundles: ReadonlyMap<string, string> }[] = [];
  const authorities = new Set<string>();
  for (let step = 0; step < 130; step++) {
    await round(keeper);
    const bundles = new Map(leaves.map(({ secret }) => [secret, dataOf(secret)['ca.crt'] ?? '']));
    known.push({ at: now, bundles });
    authorities.add(dataOf(authoritiesSecret)['internal.crt'] ?? '');
    const before = known.findLast(({ at }) => at <= now - 100 * day) ?? known[0];
    for (const { secret } of leaves) {
      const certificate = dataOf(secret)['tls.crt'] ?? '';
      for (const bundle of [bundles.get(secret), before?.bundles.get(secret)])
        expect(isBelieved(certificate, bundle ?? ''), `${secret} on day ${(now - (known[0]?.at ?? 0)) / day}`).toBe(
          true,
        );
      expect(new X509Certificate(certificate).validToDate.getTime() - now).toBeGreaterThanOrEqual(20 * day);
    }
    expect(dataOf(sidecarsCaSecret)['ca.crt']).toBe(bundles.get(ofTenant.secret));
    expect(keeper.bundle).toBe(bundles.get('injector-tls'));
    now += 10 * day;
  }
  // 1,300 days, with authorities of 720 days that are each replaced before their end.
  expect(authorities.size).toBeGreaterThanOrEqual(3);
});

it('a valid certificate is not replaced, whichever keeper checks it', async () => {
  install();
  await round(keeperWith(() => true));
  const before = leaves.map(({ secret }) => dataOf(secret));
  now += 59 * day;
  await round(keeperWith(() => true));
  await round(keeperWith(() => false));
  expect(leaves.map(({ secret }) => dataOf(secret))).toEqual(before);
  now += 2 * day;
  await round(keeperWith(() => false));
  expect(leaves.map(({ secret }) => dataOf(secret))).toEqual(before);
  await round(keeperWith(() => true));
  for (const [index, { secret }] of leaves.entries())
    expect(dataOf(secret)['tls.crt'], secret).not.toBe(before[index]?.['tls.crt']);
});

it.each([
  ['a key that is lost', () => ({ 'tls.key': '' })],
  ['another’s key', () => ({ 'tls.key': dataOf('control-plane-tls')['tls.key'] ?? '' })],
  ['no certificate', () => ({ 'tls.crt': 'nonsense' })],
] as const)('a key pair with %s is replaced', async (_what, broken) => {
  install();
  await round(keeperWith(() => true));
  put('injector-tls', { ...dataOf('injector-tls'), ...broken() });
  await round(keeperWith(() => true));
  const { 'tls.crt': certificate = '', 'ca.crt': bundle = '', 'tls.key': key = '' } = dataOf('injector-tls');
  expect(isBelieved(certificate, bundle)).toBe(true);
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

it('a conflicting write is an error without loss: the next round reads the other keeper’s objects', async () => {
  install();
  const [one, other] = [keeperWith(() => true), keeperWith(() => true)];
  const results = await Promise.allSettled([round(one), round(other)]);
  expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
  await round(one);
  await round(other);
  expect(one.bundle).toBe(other.bundle);
  for (const { secret } of leavesOf(namespace)) {
    const { 'tls.crt': certificate = '', 'ca.crt': bundle = '' } = dataOf(secret);
    expect(isBelieved(certificate, bundle), secret).toBe(true);
  }
});

it('a namespace of apps is complete only with its certificate: not without an authority, and not by a keeper on standby', async () => {
  install();
  const [acting, standingBy] = [keeperWith(() => true), keeperWith(() => false)];
  const keep = (keeper: CertificateKeeper) => keeper.keepLeaf(ofTenant, locationOf(ofTenant.secret));
  expect(await keep(acting)).toBe(false);
  await acting.run();
  await standingBy.run();
  expect(await keep(standingBy)).toBe(false);
  expect(await keep(acting)).toBe(true);
  expect(await keep(standingBy)).toBe(true);
});
