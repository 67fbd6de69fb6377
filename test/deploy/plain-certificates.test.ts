// deploy/certificates/plain.sh makes what cert-manager would make: the same Secrets, names and usages, from two
// authorities that do not trust each other. Its output is applied to a cluster unchanged, so the test reads it as a
// cluster would.
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorityIn, authorityNames } from '../../keeper/authority/authorities.ts';
import { authoritiesSecret } from '../../keeper/authority/keep.ts';
import { issueCertificate } from '../../keeper/authority/x509.ts';
import { validateObject } from '../support/kubernetes-schemas.ts';
import { nameOf, type OfKind, objectsOf, ofKind, parseObjects } from '../support/manifests/objects.ts';
import { plainSecrets } from '../support/manifests/secrets.ts';

const script = join(import.meta.dirname, '../../deploy/certificates/plain.sh');
const folder = mkdtempSync(join(tmpdir(), 'gateway-plain-'));
const file = (name: string) => join(folder, name);
const run = (...what: string[]) => execFileSync('sh', [script, file('authorities'), ...what], { encoding: 'utf8' });

let secrets: OfKind<ISecret>[];

beforeAll(() => {
  secrets = ofKind(parseObjects(`${run('gateway')}${run('tenant', 'team-a')}`), Secret.is);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the Secrets are those that pods mount, and are valid', () => {
  const made = secrets.map((secret) => [nameOf(secret), Object.keys(secret.data ?? {})]);
  const tenant = { 'model-gateway-sidecar-tls': ['tls.crt', 'tls.key', 'ca.crt'] };
  expect(Object.fromEntries(made)).toEqual({ ...plainSecrets, ...tenant });
  expect(secrets.flatMap(validateObject)).toEqual([]);
  const namespaces = secrets.map(({ metadata }) => metadata.namespace);
  expect(namespaces).toEqual([...Object.keys(plainSecrets).map(() => 'model-gateway'), 'team-a']);
});

test('names and usages are those that are requested from cert-manager', () => {
  const requested = [...ofKind(objectsOf('sidecar'), Certificate.is), ...ofKind(objectsOf('tenant'), Certificate.is)];
  const usages = { 'server auth': '1.3.6.1.5.5.7.3.1', 'client auth': '1.3.6.1.5.5.7.3.2' };
  for (const secret of secrets.filter(({ data }) => data?.['tls.crt'])) {
    const spec = requested.find((one) => one.spec?.secretName === nameOf(secret))?.spec;
    const { subjectAltName, keyUsage, ca } = certificateIn(secret);
    const names = [
      ...(spec?.dnsNames ?? []).map((name) => `DNS:${name}`),
      ...(spec?.ipAddresses ?? []).map((address) => `IP Address:${address}`),
    ];
    // The injector's certificate also has its short names, which no API server uses.
    expect(subjectAltName?.split(', ')).toEqual(expect.arrayContaining(names));
    expect(keyUsage).toEqual(
      Object.entries(usages)
        .filter(([name]) => spec?.usages?.some((one) => one === name))
        .map(([, id]) => id),
    );
    expect(ca).toBe(false);
  }
});

test.each([
  ['control-plane-tls', 'model-gateway-internal', 'sslserver'],
  ['egress-gateway-tls', 'model-gateway-internal', 'sslserver'],
  ['injector-tls', 'model-gateway-internal', 'sslserver'],
  ['egress-gateway-client-tls', 'model-gateway-internal', 'sslclient'],
  ['model-gateway-sidecar-tls', 'model-gateway-sidecars', 'sslclient'],
])('%s is signed by %s as %s, and for nothing else', (name, authority, purpose) => {
  const found = secrets.find((secret) => nameOf(secret) === name);
  writeFileSync(file(name), certificateText(found));
  const other = { 'model-gateway-internal': 'model-gateway-sidecars' }[authority] ?? 'model-gateway-internal';
  const otherPurpose = purpose === 'sslserver' ? 'sslclient' : 'sslserver';
  expect(verified(name, authority, purpose)).toBe(true);
  expect(verified(name, authority, otherPurpose)).toBe(false);
  expect(verified(name, other, purpose)).toBe(false);
  expect(decoded(found, 'ca.crt')).toBe(authorityText(authority));
});

test('each key belongs to its certificate', () => {
  for (const secret of secrets.filter(({ data }) => data?.['tls.crt'])) {
    const publicKey = execFileSync('openssl', ['pkey', '-pubout'], { input: decoded(secret, 'tls.key') });
    const shown = new X509Certificate(certificateText(secret)).publicKey.export({
      type: 'spki',
      format: 'pem',
    });
    expect(publicKey.toString()).toBe(shown.toString());
  }
});

test('authorities are stored for their owner alone and used again; certificates are new each time', () => {
  const again = ofKind(parseObjects(run('gateway')), Secret.is);
  for (const secret of again) {
    const before = secrets.find((one) => nameOf(one) === nameOf(secret));
    expect(secret.data?.['ca.crt']).toBe(before?.data?.['ca.crt']);
    if (secret.data?.['tls.crt']) expect(secret.data['tls.crt']).not.toBe(before?.data?.['tls.crt']);
  }
  for (const name of ['internal.key', 'internal.crt', 'sidecars.key', 'sidecars.crt']) {
    expect(statSync(file(`authorities/model-gateway-${name}`)).mode & 0o077).toBe(0);
  }
});

test('the keeper reads the authorities of the script and signs with them', async () => {
  const [secret] = ofKind(parseObjects(run('authorities')), Secret.is);
  expect(secret && [nameOf(secret), secret.metadata.namespace]).toEqual([authoritiesSecret, 'model-gateway']);
  const data = Object.fromEntries(Object.keys(secret?.data ?? {}).map((key) => [key, decoded(secret, key)]));
  for (const name of authorityNames) {
    const { current } = authorityIn(name, data);
    if (current === undefined) throw new Error(`no authority ${name}`);
    expect(current.cert).toBe(authorityText(`model-gateway-${name}`));
    const leaf = await issueCertificate(current, {
      ...{ commonName: 'x', dnsNames: ['x.example'], addresses: [], usage: 'server' as const },
      ...{ notBefore: Date.now() - 1000, notAfter: Date.now() + 60_000 },
    });
    writeFileSync(file(`kept-${name}`), leaf.cert);
    expect(verified(`kept-${name}`, `model-gateway-${name}`, 'sslserver')).toBe(true);
  }
});

describe('plain.sh fails for', () => {
  test.each([
    ['no words', [], /plain\.sh <folder> gateway/],
    ['an unknown word', [file('authorities'), 'gatway'], /no gatway/],
    ['no namespace', [file('authorities'), 'tenant'], /the namespace of the app/],
  ])('%s', (_name, words, reported) => {
    const { status, stderr, stdout } = spawnSync('sh', [script, ...words], { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(reported);
    expect(stdout).toBe('');
  });

  test('an authority without its key, instead of printing half of the Secrets', () => {
    execFileSync('sh', [script, file('broken'), 'authorities']);
    rmSync(file('broken/model-gateway-internal.key'));
    const { status, stderr } = spawnSync('sh', [script, file('broken'), 'gateway'], { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/key/);
  });
});

function decoded(secret: ISecret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
}

function certificateText(secret: ISecret | undefined): string {
  return decoded(secret, 'tls.crt');
}

function certificateIn(secret: ISecret): X509Certificate {
  return new X509Certificate(certificateText(secret));
}

function authorityText(name: string): string {
  return readFileSync(file(`authorities/${name}.crt`), 'utf8');
}

function verified(name: string, authority: string, purpose: string): boolean {
  const { status } = spawnSync('openssl', [
    ...['verify', '-purpose', purpose, '-x509_strict'],
    ...['-CAfile', file(`authorities/${authority}.crt`), '-no-CApath', file(name)],
  ]);
  return status === 0;
}
