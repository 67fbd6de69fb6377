// E-mail domains: who proves one gets its people's sign-ins, and nobody learns from the sign-in page who exists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReadTxt } from '../../../common/dns-txt.ts';
import { dayMs } from '../../../common/durations.ts';
import { checkDomains } from '../../../control-plane/auth/domain-proof.ts';
import { ConsoleBrowser } from '../../support/console-browser.ts';
import { describeStores } from '../../support/databases.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import {
  bootstrap,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';

let dns: DnsServer;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let other: TestTenant;
let issuerId: string;

const realm = async (body: object) => {
  const response = await new ConsoleBrowser({ port: plane.plane.httpPort }).post('/console/auth/issuers', body);
  expect(response.status).toBe(200);
  return JSON.parse(response.body);
};
const nothing = { issuers: [], organization: '' };

/** Claims the domain and publishes its record. */
async function claimed(tenant: TestTenant, domain: string, isPublished = true): Promise<JsonResponse> {
  const request = { organizationId: tenant.id, domain };
  const made = await plane.expect('SignIn.AddDomain', tenant.owner.token, request);
  if (isPublished) dns.texts.set(made.recordName, ['v=spf1 -all', made.recordValue]);
  return made;
}

beforeAll(async () => {
  dns = await startDnsServer({});
  plane = await startOperatorsPlane({ readTxt: createReadTxt({ servers: [dns.address], timeoutMs: 200 }) });
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'Acme, Inc.');
  other = await createTenant(plane, platform, 'other');
  const issuer = { organizationId: acme.id, name: 'okta', url: 'https://acme.okta.example', clientId: 'gateway' };
  ({ id: issuerId } = await plane.expect('SignIn.CreateIssuer', acme.owner.token, issuer));
});
afterAll(async () => {
  await plane.close();
  await dns.close();
});

describe('an e-mail domain', () => {
  it('leads to the issuers once its record is in DNS, and not before', async () => {
    const { id, recordName, state } = await claimed(acme, 'Acme.Example', false);
    expect([recordName, state]).toEqual(['_model-gateway.acme.example', 'SIGN_IN_DOMAIN_STATE_UNVERIFIED']);
    const before = await plane.expect('SignIn.CheckDomain', acme.owner.token, { id });
    expect(before.state).toBe('SIGN_IN_DOMAIN_STATE_UNVERIFIED');
    expect(await realm({ email: 'ada@acme.example' })).toEqual(nothing);
    await claimed(acme, 'acme.example');
    const after = await plane.expect('SignIn.CheckDomain', acme.owner.token, { id });
    expect(after).toMatchObject({ state: 'SIGN_IN_DOMAIN_STATE_VERIFIED', checkedAt: expect.any(String) });
    const found = { issuers: [{ id: issuerId, name: 'okta' }], organization: 'acme-inc' };
    expect(await realm({ email: 'ada@acme.example' })).toEqual(found);
    // Whether there is such a person changes nothing.
    expect(await realm({ email: 'nobody-at-all@ACME.example' })).toEqual(found);
    expect(await realm({ email: 'ada@mail.acme.example' })).toEqual(nothing);
    expect(await realm({ email: 'not an address' })).toEqual(nothing);
  });

  it('belongs to one organization, also when another one has its record too', async () => {
    const first = await claimed(acme, 'shared.example');
    const second = await claimed(other, 'shared.example', false);
    dns.texts.set(first.recordName, [first.recordValue, second.recordValue]);
    await plane.expect('SignIn.CheckDomain', acme.owner.token, { id: first.id });
    const taken = await refusal(plane.call('SignIn.CheckDomain', other.owner.token, { id: second.id }));
    expect(taken.reason).toBe('domain_taken');
    const vouched = await refusal(plane.call('SignIn.CheckDomain', platform.token, { id: second.id, vouch: true }));
    expect(vouched.reason).toBe('domain_taken');
    await plane.expect('SignIn.DeleteDomain', acme.owner.token, { id: first.id });
    await plane.expect('SignIn.CheckDomain', other.owner.token, { id: second.id });
    expect((await realm({ email: 'a@shared.example' })).organization).toBe('other');
  });

  it('is vouched for by a platform operator alone', async () => {
    const { id } = await claimed(acme, 'vouched.example', false);
    const refused = await refusal(plane.call('SignIn.CheckDomain', acme.owner.token, { id, vouch: true }));
    expect(refused.reason).toBe('permission_denied');
    const { state } = await plane.expect('SignIn.CheckDomain', platform.token, { id, vouch: true });
    expect(state).toBe('SIGN_IN_DOMAIN_STATE_VOUCHED');
  });

  it('stays as it was while DNS does not respond', async () => {
    const { id } = await claimed(acme, 'silent.example');
    await plane.expect('SignIn.CheckDomain', acme.owner.token, { id });
    dns.silent = true;
    const { state } = await plane.expect('SignIn.CheckDomain', acme.owner.token, { id });
    dns.silent = false;
    expect(state).toBe('SIGN_IN_DOMAIN_STATE_VERIFIED');
  });

  it('is written to the audit log, and bounded', async () => {
    const { events } = await plane.expect('Audit.List', acme.owner.token, {
      organizationId: acme.id,
      action: 'SignIn.CheckDomain',
    });
    expect(events.length).toBeGreaterThan(3);
    expect(
      await violated(plane.call('SignIn.AddDomain', acme.owner.token, { organizationId: acme.id, domain: 'com' })),
    ).toEqual(['domain']);
  });
});

describe('the slug of an organization', () => {
  it('is made from its name, leads to its issuers, and is changed by an owner or a platform operator', async () => {
    expect(await realm({ organization: 'acme-inc' })).toMatchObject({ organization: 'acme-inc' });
    expect(await realm({ organization: 'nobody' })).toEqual(nothing);
    await plane.expect('Organizations.Suspend', platform.token, { id: acme.id });
    for (const from of [{ organization: 'acme-inc' }, { organizationId: acme.id }, { email: 'ada@acme.example' }]) {
      expect(await realm(from)).toEqual(nothing);
    }
    await plane.expect('Organizations.Resume', platform.token, { id: acme.id });
    expect((await realm({ organization: 'acme-inc' })).issuers).toHaveLength(1);
    const change = (token: string, slug: string) =>
      plane.call('SignIn.UpdateSettings', token, { organizationId: acme.id, slug });
    expect((await refusal(change(acme.owner.token, 'other'))).reason).toBe('name_taken');
    expect(await violated(change(acme.owner.token, 'A b'))).toEqual(['slug']);
    await change(acme.owner.token, 'acme-two');
    await change(platform.token, 'acme');
    const { slug } = await plane.expect('Organizations.Get', acme.member.token, { id: acme.id });
    expect(slug).toBe('acme');
    expect(await realm({ organization: 'acme-two' })).toEqual(nothing);
    const twin = await plane.expect('Organizations.Create', platform.token, { name: 'ACME', owner: { name: 'Z' } });
    expect(twin.organization.slug).toBe('acme-2');
  });

  it('is all that a platform operator changes', async () => {
    const request = { organizationId: acme.id, idleMinutes: 10 };
    expect((await refusal(plane.call('SignIn.UpdateSettings', platform.token, request))).reason).toBe(
      'permission_denied',
    );
  });
});

describe('times of sessions', () => {
  it('are shorter for an organization that wants it, for open sessions too', async () => {
    const browser = new ConsoleBrowser({ port: plane.plane.httpPort });
    await browser.post('/console/auth/start', { operatorToken: acme.owner.token });
    const request = { organizationId: acme.id, idleMinutes: 10, sessionMinutes: 30 };
    await plane.expect('SignIn.UpdateSettings', acme.owner.token, request);
    const lasting = async () => {
      const { sessions } = await plane.expect('Sessions.List', acme.owner.token, {});
      return sessions.map(({ createdAt, idleEndsAt, endsAt }: JsonResponse) =>
        [idleEndsAt, endsAt].map((end) => (Date.parse(end) - Date.parse(createdAt)) / 60_000),
      );
    };
    expect(await lasting()).toEqual([[10, 30]]);
    await browser.post('/console/auth/start', { operatorToken: acme.owner.token });
    expect((await lasting()).at(-1)).toEqual([10, 30]);
    const longer = { organizationId: acme.id, idleMinutes: 1440, sessionMinutes: 0 };
    await plane.expect('SignIn.UpdateSettings', acme.owner.token, longer);
    await browser.post('/console/auth/start', { operatorToken: acme.owner.token });
    expect((await lasting()).at(-1)).toEqual([60, 720]);
  });
});

describeStores('checks of verified domains', (given) => {
  const row = async () => {
    const rows = await given.store.snapshot((db) => db.selectFrom('sign_in_domains').selectAll().execute());
    return rows[0];
  };
  const check = async (readTxt: (name: string) => Promise<readonly string[]>, ageDays: number) => {
    await given.store.ledger(async ({ db, now }) => {
      await db
        .updateTable('sign_in_domains')
        .set({ checked_at: now - ageDays * dayMs })
        .execute();
    });
    const read: string[] = [];
    const reading = (name: string) => {
      read.push(name);
      return readTxt(name);
    };
    await checkDomains({ store: given.store, readTxt: reading });
    return read;
  };

  it('happen weekly, daily once the record is missing, and end the proof on the third day', async () => {
    await change(given.store, async (tx) => {
      await insertOrganization(tx);
      const columns = {
        id: 'd',
        organization_id: 'organization-1',
        domain: 'a.example',
        challenge: 'c',
        created_at: 1,
      };
      await tx.db
        .insertInto('sign_in_domains')
        .values({ ...columns, verified_at: 1, vouched: 0, checked_at: null, missed: 0 })
        .execute();
      return { result: undefined, organizationId: 'organization-1', invalidations: [] };
    });
    const there = async () => ['model-gateway=c'];
    const gone = async () => [];
    const silent = () => Promise.reject(new Error('no server'));
    expect(await check(there, 6)).toEqual([]);
    expect(await check(there, 7)).toEqual(['_model-gateway.a.example']);
    expect(await check(gone, 8)).toHaveLength(1);
    expect(await check(gone, 0)).toEqual([]);
    expect(await check(silent, 1)).toHaveLength(1);
    expect(await row()).toMatchObject({ missed: 1, verified_at: 1 });
    await check(gone, 1);
    expect(await row()).toMatchObject({ missed: 2, verified_at: 1 });
    await check(gone, 1);
    expect(await row()).toMatchObject({ missed: 3, verified_at: null });
    expect(await check(there, 30)).toEqual([]);
    const events = await given.store.snapshot((db) => db.selectFrom('audit_events').select('action').execute());
    expect(events.map(({ action }) => action)).toContain('SignIn.LoseDomain');
  });
});
