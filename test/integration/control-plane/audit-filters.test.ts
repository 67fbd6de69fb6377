// The audit log as operators search it, over both databases: by actor, action, time and target, with names, and
// followed from a revision on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('the audit log over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let key: string;
  let system: string;
  let before: number;
  let all: JsonResponse[];

  const page = async (fields: object, token = acme.owner.token): Promise<JsonResponse> =>
    await plane.expect('Audit.List', token, { organizationId: acme.id, pageSize: 500, ...fields });
  const events = async (fields: object, token?: string): Promise<JsonResponse[]> => (await page(fields, token)).events;
  const actionsOf = (found: JsonResponse[]) => found.map(({ action }) => action);

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    before = Number((await events({ pageSize: 1 }))[0].revision);
    const { owner, admin, id: organizationId } = acme;
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId };
    const made = await plane.expect('VirtualKeys.Create', admin.token, { organizationId, name: 'checkout', scope });
    key = made.virtualKey.id;
    await plane.expect('VirtualKeys.Update', owner.token, { id: key, name: 'till' });
    system = (await plane.expect('AiSystems.Create', owner.token, { organizationId, name: 'shop' })).id;
    await plane.expect('AiSystems.Delete', owner.token, { id: system });
    await plane.expect('Organizations.Suspend', platform.token, { id: organizationId });
    await plane.expect('Organizations.Resume', platform.token, { id: organizationId });
    all = await events({});
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  it('is filtered by actor, action, service and target', async () => {
    const { admin, owner } = acme;
    expect(actionsOf(await events({ actorId: admin.id }))).toEqual(['VirtualKeys.Create']);
    expect(actionsOf(await events({ action: 'VirtualKeys' }))).toEqual(['VirtualKeys.Update', 'VirtualKeys.Create']);
    expect(actionsOf(await events({ action: 'VirtualKeys.Update' }))).toEqual(['VirtualKeys.Update']);
    expect(await events({ action: 'Virtual' })).toEqual([]);
    expect(actionsOf(await events({ targetKind: 'ai_system' }))).toEqual(['AiSystems.Delete', 'AiSystems.Create']);
    expect(actionsOf(await events({ targetId: key, actorId: owner.id }))).toEqual(['VirtualKeys.Update']);
    expect(await events({ actorKind: 'person' })).toEqual(all);
    expect(await events({ actorKind: 'system' })).toEqual([]);
  });

  it('is filtered by time, the end excluded, also when the clock of the database was set back', async () => {
    const at = (n: number) => Date.parse(all[n]?.at);
    const since = new Date(at(2)).toISOString();
    const until = new Date(at(1)).toISOString();
    expect(await events({ since })).toEqual(all.filter((event) => Date.parse(event.at) >= at(2)));
    expect(await events({ since, until })).toEqual(
      all.filter((event) => Date.parse(event.at) >= at(2) && Date.parse(event.at) < at(1)),
    );
    expect(await events({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await events({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    const { revision } = all[1] ?? {};
    await database.raw(`update audit_events set at = at - 1800000 where revision = ${revision}`);
    const [shown] = await events({ until: new Date(at(1) - 1_800_000 + 1).toISOString() });
    expect(shown.revision).toBe(revision);
    await database.raw(`update audit_events set at = at + 1800000 where revision = ${revision}`);
  });

  it('keeps its filters and its order in pages', async () => {
    const paged: JsonResponse[] = [];
    let pageToken = '';
    do {
      const one = await page({ actorId: acme.owner.id, pageSize: 1, pageToken });
      paged.push(...one.events);
      pageToken = one.nextPageToken;
    } while (pageToken !== '');
    expect(paged).toEqual(await events({ actorId: acme.owner.id }));
    expect(paged.length).toBeGreaterThan(2);
  });

  it('is followed from a revision on, the oldest event first', async () => {
    const later = all.filter(({ revision }) => Number(revision) > before).toReversed();
    expect(await events({ afterRevision: String(before) })).toEqual(later);
    const first = await page({ afterRevision: String(before), pageSize: 2 });
    const rest = await page({ afterRevision: String(before), pageToken: first.nextPageToken });
    expect([...first.events, ...rest.events]).toEqual(later);
    expect(await events({ afterRevision: all[0]?.revision })).toEqual([]);
  });

  it('names actors and targets: as they are called now, else as the event has it', async () => {
    const named = (action: string) => {
      const { actorName, targetName } = all.find((event) => event.action === action) ?? {};
      return [actorName, targetName];
    };
    const admin = await plane.expect('People.Get', acme.owner.token, { id: acme.admin.id });
    expect(named('VirtualKeys.Create')).toEqual([admin.name, 'till']);
    expect(named('AiSystems.Create')[1]).toBe('shop');
    expect(named('AiSystems.Delete')[1]).toBe('shop');
    // An operator of the platform is nobody of the organization.
    expect(named('Organizations.Suspend')).toEqual([undefined, expect.stringContaining('acme')]);
    const own = await plane.expect('Audit.List', platform.token, { targetKind: 'person' });
    expect(own.events[0]).toMatchObject({ targetName: expect.stringMatching(/./) });
  });

  it.each([
    [{ action: 'a b' }, ['action']],
    [{ since: 'yesterday', until: 'x' }, ['since', 'until']],
    [{ actorKind: 'robot' }, ['actor_kind']],
    [{ actorId: '' }, ['actor_id']],
  ])('refuses %j', async (fields, fieldsAtFault) => {
    const request = { organizationId: acme.id, ...fields };
    expect(await violated(plane.call('Audit.List', acme.owner.token, request))).toEqual(fieldsAtFault);
  });
});
