// Every change leaves an audit event with its actor, target, time and address; no secret of any kind is in a row or a
// log line.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { silentLog } from '../../support/silent-log.ts';

const canaries = ['sk-canary-4d1f0a9b7c', 'sk-canary-8e2b6c5d3a', 'sk-canary-access-id-01', 'sk-canary-secret-key-2'];
let directory: string;
let url: string;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
const secrets: string[] = [...canaries];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-audit-'));
  url = `sqlite:${join(directory, 'test.db')}`;
  plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: url } });
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
  secrets.push(plane.bootstrapToken, plane.masterKey, platform.token);
  secrets.push(...[acme.owner, acme.admin, acme.member].map(({ token }) => token));
});
afterAll(async () => {
  await plane.close();
  rmSync(directory, { recursive: true });
});

it('every change of every resource is an audit event without a secret', async () => {
  const { token } = acme.owner;
  const key = await createKey(plane, acme);
  const { id } = key.virtualKey;
  const rotated = await plane.expect('VirtualKeys.Rotate', token, { id, graceSeconds: 10 });
  await plane.expect('VirtualKeys.Update', token, { id, active: false });
  await plane.expect('VirtualKeys.Update', token, { id, active: false });
  await plane.expect('VirtualKeys.Revoke', token, { id });
  const provider = await plane.expect('ProviderKeys.Create', token, {
    organizationId: acme.id,
    provider: 'managed-cloud-models',
    name: 'cloud',
    secret: { accessKeyId: canaries[2], secretAccessKey: canaries[3] },
  });
  const secret = { apiKey: canaries[0] };
  await plane.expect('ProviderKeys.Update', token, { id: provider.id, secret });
  await plane.call('ProviderKeys.Update', token, { id: provider.id, secret: { apiKey: `${canaries[1]} x` } });
  await plane.call('ProviderKeys.Update', token, {
    id: provider.id,
    secret: { apiKey: canaries[1] },
    ifRevision: '1',
  });
  await plane.expect('ProviderKeys.Delete', token, { id: provider.id });
  await plane.expect('Organizations.Suspend', platform.token, { id: acme.id });
  await plane.expect('Organizations.Resume', platform.token, { id: acme.id });
  const proxy = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
  secrets.push(key.value, rotated.value, proxy.value);

  const { events } = await plane.expect('Audit.List', token, { organizationId: acme.id });
  expect(events.map((event: JsonResponse) => event.action).slice(0, 9)).toEqual([
    'Organizations.Resume',
    'Organizations.Suspend',
    'ProviderKeys.Delete',
    'ProviderKeys.Update',
    'ProviderKeys.Create',
    'VirtualKeys.Revoke',
    'VirtualKeys.Update',
    'VirtualKeys.Rotate',
    'VirtualKeys.Create',
  ]);
  expect(events[3]).toMatchObject({
    actorKind: 'person',
    actorId: acme.owner.id,
    from: '127.0.0.1',
    targetKind: 'provider_key',
    targetId: provider.id,
    organizationId: acme.id,
  });
  expect(events[0].actorId).toBe(platform.id);
  expect(JSON.parse(events[6].before)).toMatchObject({ active: true });
  expect(JSON.parse(events[6].after)).toMatchObject({ active: false });
  expect(JSON.parse(events[3].after)).toMatchObject({ secretVersion: 2 });
});

it('audit events are listed in pages, also of one target, and the platform’s own separately', async () => {
  const request = { organizationId: acme.id, pageSize: 5 };
  const first = await plane.expect('Audit.List', acme.admin.token, request);
  const next = { ...request, pageToken: first.nextPageToken };
  const second = await plane.expect('Audit.List', acme.admin.token, next);
  const revisions = [...first.events, ...second.events].map((event: JsonResponse) => Number(event.revision));
  expect(revisions).toEqual(revisions.toSorted((a, b) => b - a));
  expect(new Set(revisions).size).toBe(10);
  const target = { organizationId: acme.id, targetId: acme.member.id };
  const ofMember = await plane.expect('Audit.List', acme.admin.token, target);
  expect(ofMember.events.map((event: JsonResponse) => event.action)).toEqual(['People.Create']);
  const own = await plane.expect('Audit.List', platform.token);
  expect(own.events.map((event: JsonResponse) => event.action)).toEqual([
    'ProxyTokens.Create',
    'OperatorTokens.Bootstrap',
  ]);
});

it('the audit chain is unbroken from the first change to the last', async () => {
  const store = await openStore({ url, log: silentLog, clock: systemClock });
  expect(await store.snapshot((db) => verifyAuditChain(db))).toMatchObject({ intact: true });
  await store.close();
});

it('no secret is in any row, file or log line', () => {
  using database = new DatabaseSync(join(directory, 'test.db'));
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${String(name)}"`).all());
  expect(rows.length).toBeGreaterThan(30);
  const locations = {
    rows: JSON.stringify(rows),
    files: readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join(''),
    logs: plane.logs.join(''),
  };
  for (const [location, text] of Object.entries(locations)) {
    expect([location, secrets.filter((secret) => text.includes(secret))]).toEqual([location, []]);
  }
  expect(locations.logs).toContain('ProviderKeys.Create');
});
