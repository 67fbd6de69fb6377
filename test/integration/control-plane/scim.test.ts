// Provisioning by SCIM 2.0: users, groups and roles, with requests as Entra and Okta send them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createKey,
  createPerson,
  databases,
  freely,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { personNamed, type ScimClient, scimGroup, scimTenant, scimUser } from '../../support/scim.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const admins = { claim: 'groups', value: 'gateway-admins', role: 'ROLE_ADMIN' };

describe.each(databases)('over $name', ({ open }) => {
  let opened: Awaited<ReturnType<typeof open>>;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let scim: ScimClient;

  beforeAll(async () => {
    opened = await open();
    plane = await startOperatorsPlane({ env: opened.env, rates: freely });
    platform = await bootstrap(plane);
    ({ tenant: acme, scim } = await scimTenant(plane, platform, { roles: [admins] }));
  });
  afterAll(async () => {
    await plane?.close();
    await opened?.drop();
  });

  const roleOf = async (name: string) => (await personNamed(plane, acme, name)).role;
  const group = async (displayName: string, ...users: readonly JsonResponse[]) => {
    const members = users.map(({ id }) => ({ value: id }));
    const { status, json } = await scim.send('POST', '/Groups', { schemas: [scimGroup], displayName, members });
    expect(status).toBe(201);
    return json;
  };

  describe('a user', () => {
    it('becomes a person, is read, replaced and deleted, and nothing is erased', async () => {
      const created = await scim.send('POST', '/Users', {
        schemas: [scimUser, enterprise],
        ...{ userName: 'Ada@example.com', externalId: 'okta-ada', active: true, displayName: 'Ada Provisioned' },
        name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Countess' },
        emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
        phoneNumbers: [{ value: '555', type: 'work' }],
        [enterprise]: { department: 'Engines' },
      });
      expect(created.status).toBe(201);
      const { id, meta } = created.json;
      expect(created.headers.get('content-type')).toBe('application/scim+json');
      expect(created.headers.get('location')).toBe(meta.location);
      expect(created.json).toEqual({
        schemas: [scimUser],
        ...{ id, userName: 'Ada@example.com', externalId: 'okta-ada', active: true, displayName: 'Ada Provisioned' },
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
        meta: { ...meta, resourceType: 'User', version: created.etag },
      });
      expect(await personNamed(plane, acme, 'Ada Provisioned')).toMatchObject({
        ...{ role: 'ROLE_MEMBER', active: true, email: 'ada@example.com' },
      });
      expect((await scim.send('GET', `/Users/${id}`)).json).toEqual(created.json);
      const none = await scim.send('GET', `/Users/${id}`, undefined, { 'if-none-match': created.etag });
      expect(none.status).toBe(304);
      const next = {
        schemas: [scimUser],
        userName: 'ada@example.com',
        displayName: 'Ada King',
        externalId: 'okta-ada',
      };
      const replaced = await scim.send('PUT', `/Users/${id}`, next, { 'if-match': created.etag });
      expect(replaced.json).toMatchObject({ userName: 'ada@example.com', displayName: 'Ada King', active: true });
      expect(replaced.json).not.toHaveProperty('emails');
      expect(await personNamed(plane, acme, 'Ada King')).toMatchObject({ email: 'ada@example.com' });
      expect((await scim.send('DELETE', `/Users/${id}`)).status).toBe(204);
      expect((await scim.send('GET', `/Users/${id}`)).status).toBe(404);
      expect(await personNamed(plane, acme, 'Ada King')).toMatchObject({ active: false });
      const again = await scim.user({ userName: 'ada@example.com', externalId: 'okta-ada' });
      expect(again.active).toBe(true);
      expect(await personNamed(plane, acme, 'Ada King')).toMatchObject({ active: true });
    });

    it('who is deactivated loses tokens and keys at once, in the forms of Entra and Okta', async () => {
      const user = await scim.user({ displayName: 'Dee' });
      const { id: personId } = await personNamed(plane, acme, 'Dee');
      const { value } = await plane.expect('OperatorTokens.Create', acme.owner.token, { personId, name: 'cli' });
      const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: personId };
      await createKey(plane, acme, { scope });
      // Entra without its newer flag.
      const off = await scim.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' });
      expect([off.status, off.json.active]).toEqual([200, false]);
      expect(await plane.call('Status.Get', value)).toMatchObject({ code: 'UNAUTHENTICATED' });
      // Okta.
      const on = await scim.patch(`/Users/${user.id}`, { op: 'replace', value: { active: true } });
      expect(on.json.active).toBe(true);
      expect(await plane.call('Status.Get', value)).toMatchObject({ code: 'OK' });
      const { events } = await plane.expect('Audit.List', acme.owner.token, {
        ...{ organizationId: acme.id, action: 'Scim.PatchUser' },
      });
      expect(events[0]).toMatchObject({ actorKind: 'system', actorId: scim.issuerId, targetId: user.id });
    });

    it('stays deactivated if an admin has done it', async () => {
      const user = await scim.user({ displayName: 'Hanna' });
      const { id } = await personNamed(plane, acme, 'Hanna');
      await plane.expect('People.Update', acme.admin.token, { id, active: false });
      const on = await scim.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: true });
      expect(on.json.active).toBe(false);
      await plane.expect('People.Update', acme.admin.token, { id, active: true });
      expect((await scim.send('GET', `/Users/${user.id}`)).json.active).toBe(true);
    });

    it('is changed by the paths that Entra sends', async () => {
      const user = await scim.user({ displayName: 'Eve' });
      const changed = await scim.patch(
        `/Users/${user.id}`,
        { op: 'Add', path: 'emails[type eq "work"].value', value: 'eve@example.com' },
        { op: 'Replace', path: 'name.givenName', value: 'Eve' },
        { op: 'Add', path: 'externalId', value: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef' },
        { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
        { op: 'Replace', path: 'addresses[type eq "work"].locality', value: 'Paris' },
        { op: 'Add', value: { displayName: 'Eve E', 'name.familyName': 'E', [`${enterprise}:costCenter`]: '1' } },
      );
      expect([changed.status, changed.json]).toMatchObject([
        200,
        {
          ...{ displayName: 'Eve E', externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef' },
          ...{ name: { givenName: 'Eve', familyName: 'E' }, emails: [{ type: 'work', value: 'eve@example.com' }] },
        },
      ]);
      const primary = await scim.patch(
        `/Users/${user.id}`,
        { op: 'add', path: 'emails', value: [{ value: 'e2@example.com', type: 'home', primary: true }] },
        { op: 'replace', path: 'emails[type eq "work"].primary', value: true },
        { op: 'remove', path: 'name.familyName' },
      );
      expect(primary.json.emails).toEqual([
        { type: 'work', value: 'eve@example.com', primary: true },
        { type: 'home', value: 'e2@example.com', primary: false },
      ]);
      expect(primary.json.name).toEqual({ givenName: 'Eve' });
      const gone = await scim.patch(`/Users/${user.id}`, { op: 'remove', path: 'emails[value eq "e2@example.com"]' });
      expect(gone.json.emails).toHaveLength(1);
      const same = await scim.patch(`/Users/${user.id}`, { op: 'replace', path: 'displayName', value: 'Eve E' });
      expect(same.etag).toBe(gone.etag);
    });

    it('is found by a filter, and nothing else passes it', async () => {
      const user = await scim.user({ externalId: 'x"1', emails: [{ value: 'f_1%@example.com' }] });
      const find = async (filter: string) => {
        const { status, json } = await scim.send('GET', `/Users?filter=${encodeURIComponent(filter)}`);
        return status === 200 ? json.Resources.map(({ id }: JsonResponse) => id) : json.scimType;
      };
      for (const filter of [
        `userName eq "${user.userName.toUpperCase()}"`,
        `USERNAME EQ "${user.userName}"`,
        `${scimUser}:userName eq "${user.userName}"`,
        'externalId eq "x\\"1"',
        'emails.value eq "F_1%@example.com"',
        'emails[value eq "f_1%@example.com"]',
      ]) {
        expect([filter, await find(filter)]).toEqual([filter, [user.id]]);
      }
      for (const none of ['emails.value eq "f%"', 'emails.value eq "fx1%@example.com"', `userName eq "' or 1=1 --"`]) {
        expect([none, await find(none)]).toEqual([none, []]);
      }
      for (const wrong of [
        'userName',
        'userName eq x',
        'userName eq "a" or userName eq "b"',
        'userName sw "a"',
        'password eq "x"',
        '__proto__ eq "x"',
        `userName eq "${'a'.repeat(2000)}"`,
      ]) {
        expect([wrong, await find(wrong)]).toEqual([wrong, 'invalidFilter']);
      }
    });

    it('is linked by the subject at the issuer, or by an address without a way to sign in', async () => {
      const person = await createPerson(plane, acme, 'ROLE_ADMIN');
      await plane.expect('People.Update', acme.owner.token, { id: person.id, email: 'mo@example.com' });
      const user = await scim.user({ externalId: 'mo', emails: [{ value: 'Mo@example.com' }] });
      await scim.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
      const { active, role } = await plane.expect('People.Get', acme.owner.token, { id: person.id });
      expect([active, role]).toEqual([false, 'ROLE_ADMIN']);
      const twin = await scim.send('POST', '/Users', { userName: 'twin', externalId: 'mo', active: true });
      expect([twin.status, twin.json.scimType]).toEqual([409, 'uniqueness']);
      await plane.expect('People.Update', acme.owner.token, { id: acme.owner.id, email: 'boss@example.com' });
      const owner = await scim.send('POST', '/Users', { userName: 'boss@example.com', externalId: 'boss' });
      expect([owner.status, owner.json.scimType]).toEqual([409, 'uniqueness']);
    });

    it('of another issuer or organization does not exist, and tokens end', async () => {
      const { scim: other } = await scimTenant(plane, platform);
      const user = await scim.user();
      for (const method of ['GET', 'DELETE']) {
        expect((await other.send(method, `/Users/${user.id}`)).status).toBe(404);
      }
      expect((await other.send('PUT', `/Users/${user.id}`, { userName: 'mine' })).status).toBe(404);
      expect((await other.patch(`/Users/${user.id}`, { op: 'remove', path: 'displayName' })).status).toBe(404);
      const members = [{ value: user.id }];
      const taken = await other.send('POST', '/Groups', { displayName: 'thieves', members });
      expect([taken.status, taken.json.scimType]).toEqual([400, 'invalidValue']);
      expect((await other.send('GET', '/Users')).json.totalResults).toBe(0);
      const { tenant, scim: ending } = await scimTenant(plane, platform);
      const tokensOf = async () =>
        (await plane.expect('ScimTokens.List', tenant.owner.token, { issuerId: ending.issuerId })).scimTokens;
      const scimTokens = await tokensOf();
      expect(scimTokens[0]).not.toHaveProperty('lastUsedAt');
      expect((await ending.send('GET', '/Users')).status).toBe(200);
      const [{ lastUsedAt }] = await tokensOf();
      expect(Math.abs(plane.clock.now() - Date.parse(lastUsedAt))).toBeLessThan(60_000);
      expect((await ending.send('GET', '/Users')).status).toBe(200);
      expect((await tokensOf())[0].lastUsedAt).toBe(lastUsedAt);
      await plane.expect('ScimTokens.Revoke', tenant.owner.token, { id: scimTokens[0].id });
      const { status, json } = await ending.send('GET', '/Users');
      expect([status, json.schemas]).toEqual([401, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
      const second = await plane.expect('ScimTokens.Create', tenant.owner.token, {
        ...{ issuerId: ending.issuerId, name: 'second' },
      });
      await plane.expect('SignIn.UpdateIssuer', tenant.owner.token, { id: ending.issuerId, enabled: false });
      const headers = { authorization: `Bearer ${second.value}` };
      expect((await ending.send('GET', '/Users', undefined, headers)).status).toBe(401);
      expect(await plane.call('Status.Get', second.value)).toMatchObject({ code: 'UNAUTHENTICATED' });
    });
  });

  describe('a group', () => {
    it('gives its members the role of the issuer’s row, and takes it back', async () => {
      const [one, two] = [await scim.user({ displayName: 'G One' }), await scim.user({ displayName: 'G Two' })];
      const made = await group('gateway-admins', one);
      expect([await roleOf('G One'), await roleOf('G Two')]).toEqual(['ROLE_ADMIN', 'ROLE_MEMBER']);
      const both = await scim.patch(`/Groups/${made.id}`, { op: 'Add', path: 'members', value: [{ value: two.id }] });
      expect(both.json.members).toHaveLength(2);
      expect(both.json.members[0]).toEqual({ value: one.id, $ref: one.meta.location });
      expect(await roleOf('G Two')).toBe('ROLE_ADMIN');
      const filtered = { op: 'remove', path: `members[value eq "${one.id}"]` };
      expect((await scim.patch(`/Groups/${made.id}`, filtered)).json.members).toHaveLength(1);
      expect(await roleOf('G One')).toBe('ROLE_MEMBER');
      // Entra removes with a list.
      await scim.patch(`/Groups/${made.id}`, { op: 'Remove', path: 'members', value: [{ value: two.id }] });
      expect(await roleOf('G Two')).toBe('ROLE_MEMBER');
      await scim.patch(`/Groups/${made.id}`, { op: 'replace', value: { members: [{ value: one.id }] } });
      expect(await roleOf('G One')).toBe('ROLE_ADMIN');
      await scim.patch(`/Groups/${made.id}`, { op: 'replace', value: { id: made.id, displayName: 'others' } });
      expect(await roleOf('G One')).toBe('ROLE_MEMBER');
      await scim.patch(`/Groups/${made.id}`, { op: 'add', path: 'externalId', value: 'gateway-admins' });
      expect(await roleOf('G One')).toBe('ROLE_ADMIN');
      expect((await scim.send('DELETE', `/Groups/${made.id}`)).status).toBe(204);
      expect(await roleOf('G One')).toBe('ROLE_MEMBER');
    });

    it('takes no role that was given by hand, and no owner', async () => {
      const user = await scim.user({ displayName: 'By Hand' });
      const { id } = await personNamed(plane, acme, 'By Hand');
      await plane.expect('People.Update', acme.owner.token, { id, role: 'ROLE_OWNER' });
      const made = await group('gateway-admins', user);
      expect(await roleOf('By Hand')).toBe('ROLE_OWNER');
      await plane.expect('People.Update', acme.owner.token, { id, role: 'ROLE_MEMBER' });
      await scim.send('PUT', `/Groups/${made.id}`, { displayName: 'gateway-admins', members: [] });
      await scim.send('PUT', `/Groups/${made.id}`, { displayName: 'gateway-admins', members: [{ value: user.id }] });
      expect(await roleOf('By Hand')).toBe('ROLE_MEMBER');
    });

    it('never takes the last owner', async () => {
      const { tenant, scim: own } = await scimTenant(plane, platform, { roles: [admins] });
      const user = await own.user({ displayName: 'Only' });
      const { id } = await personNamed(plane, tenant, 'Only');
      await plane.expect('People.Update', tenant.owner.token, { id, role: 'ROLE_OWNER' });
      const { value } = await plane.expect('OperatorTokens.Create', tenant.owner.token, { personId: id, name: 'x' });
      await plane.expect('People.Update', value, { id: tenant.owner.id, active: false });
      const off = await own.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
      expect(off.status).toBe(409);
      expect((await own.send('DELETE', `/Users/${user.id}`)).status).toBe(409);
      expect((await own.send('GET', `/Users/${user.id}`)).json.active).toBe(true);
    });

    it('is found by its name, without its members if they are not wanted', async () => {
      const name = freshName('Team "A"');
      const made = await group(name, await scim.user());
      const filter = encodeURIComponent(`displayName eq ${JSON.stringify(name)}`);
      const { json } = await scim.send('GET', `/Groups?excludedAttributes=members&filter=${filter}`);
      expect(json).toMatchObject({ totalResults: 1, Resources: [{ id: made.id, displayName: name }] });
      expect(json.Resources[0]).not.toHaveProperty('members');
      expect((await scim.send('GET', `/Groups/${made.id}?attributes=members`)).json).not.toHaveProperty('displayName');
    });
  });

  it('of two writers with one version, one is refused', async () => {
    const user = await scim.user();
    const { etag } = await scim.send('GET', `/Users/${user.id}`);
    const statuses = await Promise.all(
      ['a', 'b', 'c'].map((displayName) =>
        scim
          .send('PUT', `/Users/${user.id}`, { userName: user.userName, displayName }, { 'if-match': etag })
          .then(({ status }) => status),
      ),
    );
    expect(statuses.toSorted()).toEqual([200, 412, 412]);
    expect((await scim.send('DELETE', `/Users/${user.id}`, undefined, { 'if-match': etag })).status).toBe(412);
  });
});
