// Guardrails through the real server, over both databases: their valid fields, who sees their phrases and secrets, the
// records that proxies get, and their end with an AI system.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { unsealWebhookSecret } from '../../../control-plane/domain/webhook.ts';
import { resealGuardrailSecrets } from '../../../control-plane/reseal.ts';
import { secretBinding } from '../../../control-plane/services/guardrail-rows.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
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

const words = (...phrases: string[]) => ({ words: { phrases, withinWords: false } });
const webhook = { webhook: { url: 'https://checks.example.com/gateway' } };
const freshGuardrailName = () => freshName('guardrail').replace(' ', '-');

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('guardrails over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let proxyToken: string;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const fields = (tenant = acme) => ({
    ...{ organizationId: tenant.id, name: freshGuardrailName(), stage: 'GUARDRAIL_STAGE_INPUT' },
    ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: words('Rosebud') },
  });
  const as = (method: string, request: object = {}, tenant = acme): Promise<JsonResponse> =>
    plane.expect(`Guardrails.${method}`, tenant.owner.token, request);
  const call = (method: string, request: object, tenant = acme) =>
    plane.call(`Guardrails.${method}`, tenant.owner.token, request);
  const create = (more: object = {}, tenant = acme) => call('Create', { ...fields(tenant), ...more }, tenant);
  const created = async (more: object = {}, tenant = acme): Promise<JsonResponse> =>
    (await as('Create', { ...fields(tenant), ...more }, tenant)).guardrail;
  const freshTenant = () => createTenant(plane, platform, freshName('org'));
  const eventsOf = async (id: string, tenant = acme): Promise<JsonResponse[]> => {
    const request = { organizationId: tenant.id, targetId: id };
    return (await plane.expect('Audit.List', tenant.owner.token, request)).events;
  };
  const recordOf = async (tenant: TestTenant): Promise<JsonResponse> => {
    const { value } = await createKey(plane, tenant);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    const { organization } = await plane.expect('Access.Resolve', proxyToken, { keyHash });
    return organization.guardrails;
  };

  it('are created, read, changed and deleted, and each change is an event', async () => {
    const tenant = await freshTenant();
    const request = { ...fields(tenant), message: ' No names, please. ', position: 7 };
    const { guardrail, secret } = await as('Create', request, tenant);
    expect(secret).toBeUndefined();
    expect(guardrail).toMatchObject({
      ...{ organizationId: tenant.id, name: request.name, enabled: true, position: 7, aiSystemIds: [] },
      ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK', message: 'No names, please.' },
      ...{ onFailure: 'GUARDRAIL_FAILURE_RULE_BLOCK', check: words('Rosebud') },
    });
    const { id, revision } = guardrail;
    expect(await plane.expect('Guardrails.Get', tenant.admin.token, { id })).toEqual(guardrail);
    const change = { id, ifRevision: revision, enabled: false, check: words('Rosebud', 'Xanadu') };
    const changed = await as('Update', change, tenant);
    expect(changed).toMatchObject({ enabled: false, check: words('Rosebud', 'Xanadu'), name: request.name });
    expect(await as('Update', { id, position: 7, stage: 'GUARDRAIL_STAGE_INPUT' }, tenant)).toEqual(changed);
    expect(await refusal(call('Update', { id, ifRevision: revision, position: 1 }, tenant))).toMatchObject({
      ...{ code: 'ABORTED', reason: 'revision_mismatch' },
    });
    await as('Delete', { id }, tenant);
    expect((await call('Get', { id }, tenant)).code).toBe('NOT_FOUND');

    const events = await eventsOf(id, tenant);
    expect(events.map(({ action, targetKind }) => [action, targetKind])).toEqual([
      ['Guardrails.Delete', 'guardrail'],
      ['Guardrails.Update', 'guardrail'],
      ['Guardrails.Create', 'guardrail'],
    ]);
    expect(JSON.parse(events[1].before)).toMatchObject({ enabled: true, check: { words: { phrases: 1 } } });
    expect(JSON.parse(events[1].after)).toMatchObject({ enabled: false, check: { words: { phrases: 2 } } });
    for (const hidden of ['Rosebud', 'Xanadu']) {
      expect(JSON.stringify(events)).not.toContain(hidden);
      expect(plane.logs.join('')).not.toContain(hidden);
    }
  });

  it('have position 100 and block when their check fails, by default', async () => {
    expect(await created()).toMatchObject({ position: 100, onFailure: 'GUARDRAIL_FAILURE_RULE_BLOCK' });
    const other = { position: 0, onFailure: 'GUARDRAIL_FAILURE_RULE_PASS', enabled: false };
    expect(await created(other)).toMatchObject(other);
  });

  it('are listed in the order of application, in pages', async () => {
    const tenant = await freshTenant();
    const made: JsonResponse[] = [];
    for (const position of [1000, 5, 100, 5, 20]) made.push(await created({ position }, tenant));
    const [last, five, hundred, secondFive, twenty] = made.map(({ id }) => id);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await as('List', { organizationId: tenant.id, pageSize: 2, pageToken }, tenant);
      seen.push(...page.guardrails.map(({ id }: JsonResponse) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([five, secondFive, twenty, hundred, last]);
    const wrong = call('List', { organizationId: tenant.id, pageToken: 'bm8' }, tenant);
    expect(await violated(wrong)).toEqual(['page_token']);
  });

  it('report all wrong fields at once', async () => {
    const wrong = {
      ...{ name: 'No Names', position: 1001, stage: 'GUARDRAIL_STAGE_UNSPECIFIED', message: 'a\nb' },
      ...{ action: 'GUARDRAIL_ACTION_UNSPECIFIED', aiSystemIds: ['x'], check: undefined },
    };
    expect(await violated(create(wrong))).toEqual([
      ...['name', 'position', 'stage', 'action', 'message', 'ai_system_ids[0]', 'check'],
    ]);
  });

  it.each<[string, object, string[]]>([
    ['sizes of responses', { check: { promptSize: { tokensMax: 1 } }, stage: 'GUARDRAIL_STAGE_BOTH' }, ['stage']],
    ['redaction by size', { check: { promptSize: { tokensMax: 1 } }, action: 'GUARDRAIL_ACTION_REDACT' }, ['action']],
    ['redaction by moderation', { check: { moderation: {} }, action: 'GUARDRAIL_ACTION_REDACT' }, ['action']],
  ])('refuse %s', async (_what, more, fieldsOfIt) => {
    expect(await violated(create(more))).toEqual(fieldsOfIt);
  });

  it('refuse an update to a state that could not have been created', async () => {
    const { id } = await created({ check: { promptSize: { tokensMax: 10 } } });
    expect(await violated(call('Update', { id, stage: 'GUARDRAIL_STAGE_OUTPUT' }))).toEqual(['stage']);
    expect(await violated(call('Update', { id, action: 'GUARDRAIL_ACTION_REDACT' }))).toEqual(['action']);
    expect(await violated(call('Update', { id, check: words('x') }))).toEqual(['check']);
    expect(await violated(call('Update', { id, onFailure: 'GUARDRAIL_FAILURE_RULE_UNSPECIFIED' }))).toEqual([
      'on_failure',
    ]);
    expect(await violated(call('Update', { id, check: { promptSize: {} } }))).toEqual(['check.prompt_size']);
  });

  it('are compiled before they are stored, and a check that cannot run is refused with its path', async () => {
    const patterns = { pattern: { patterns: ['fine', '(unclosed', 'a(?=b)'] } };
    const [first] = await violated(create({ check: patterns }));
    expect(first).toBe('check.pattern.patterns[1]');
    const { id } = await created({ check: { pattern: { patterns: ['fine'] } } });
    expect(await violated(call('Update', { id, check: patterns }))).toEqual([first]);
    const invisible = words('fine', '\u200b\u200d');
    expect(await violated(create({ check: invisible }))).toEqual(['check.words.phrases[1]']);
    expect(await created({ check: { secrets: {} } })).toMatchObject({ check: { secrets: {} } });
    const forms = [{ label: 'ACME_KEY', form: 'acme_{alnum:32}' }];
    expect(await created({ check: { secrets: { forms } } })).toMatchObject({ check: { secrets: { forms } } });
    const unreadable = [...forms, { label: 'ACME_KEY', form: 'acme_{letters:32}' }];
    expect(await violated(create({ check: { secrets: { forms: unreadable } } }))).toEqual([
      'check.secrets.forms[1].form',
    ]);
    for (const hidden of ['unclosed', '\u200b']) expect(plane.logs.join('')).not.toContain(hidden);
  });

  it('have names that are unique in their organization', async () => {
    const { id, name } = await created();
    expect(await refusal(create({ name }))).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'name_taken' });
    const another = await created();
    expect(await refusal(call('Update', { id: another.id, name }))).toMatchObject({ reason: 'name_taken' });
    expect((await as('Update', { id, name })).name).toBe(name);
    expect((await created({ name }, await freshTenant())).name).toBe(name);
  });

  it('are limited to 32 of one organization, and the last can still be changed', async () => {
    const tenant = await freshTenant();
    const made: JsonResponse[] = [];
    for (let n = 0; n < 32; n++) made.push(await created({}, tenant));
    expect(await refusal(create({}, tenant))).toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'too_many_guardrails' },
    });
    expect(await as('Update', { id: made[0].id, position: 1 }, tenant)).toMatchObject({ position: 1 });
    await as('Delete', { id: made[0].id }, tenant);
    expect((await create({}, tenant)).code).toBe('OK');
  });

  it('are limited to 256 KiB of phrases and patterns of one organization, to the byte', async () => {
    const tenant = await freshTenant();
    /** Phrases of this many bytes together: two bytes a character, except for the numbers that make them different. */
    const filling = (bytes: number) => {
      const phrases: string[] = [];
      for (let left = bytes; left > 0; left -= Buffer.byteLength(phrases.at(-1) ?? '')) {
        const number = String(phrases.length).padStart(4, '0');
        phrases.push(left > 396 ? number + 'é'.repeat(196) : number.padEnd(left, 'x').slice(0, 200));
      }
      return words(...phrases);
    };
    const most = 256 * 1024;
    await created({ check: filling(most - 1000) }, tenant);
    expect(await refusal(create({ check: filling(1001) }, tenant))).toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'too_many_guardrails' },
    });
    const { id } = await created({ check: filling(1000) }, tenant);
    expect(await refusal(create({}, tenant))).toMatchObject({ reason: 'too_many_guardrails' });
    expect(await refusal(call('Update', { id, check: filling(1001) }, tenant))).toMatchObject({
      reason: 'too_many_guardrails',
    });
  });

  it('show the secret of a webhook at its creation and to proxies, and nowhere else', async () => {
    const tenant = await freshTenant();
    const made = await as('Create', { ...fields(tenant), check: webhook }, tenant);
    const { id } = made.guardrail;
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await recordOf(tenant)).toMatchObject([{ id, check: webhook, secret: made.secret }]);
    const rotated = await as('RotateSecret', { id }, tenant);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(made.secret);
    await as('Update', { id, check: { webhook: { url: 'https://other.example.com/', timeoutMs: 1 } } }, tenant);
    expect(await recordOf(tenant)).toMatchObject([{ id, secret: rotated.secret }]);
    const shown = [
      JSON.stringify(await eventsOf(id, tenant)),
      JSON.stringify(await as('List', { organizationId: tenant.id }, tenant)),
      plane.logs.join(''),
    ];
    for (const text of shown) {
      for (const secret of [made.secret, rotated.secret]) expect(text).not.toContain(secret.slice(6));
    }
    const plain = await created({}, tenant);
    expect(await violated(call('RotateSecret', { id: plain.id }, tenant))).toEqual(['id']);
  });

  it('keep their secrets when the master key is rotated', async () => {
    const made = await as('Create', { ...fields(), check: webhook });
    const newest = createSealKey();
    const { lost, resealed } = await resealGuardrailSecrets(store, parseSealKeys(`${newest},${plane.masterKey}`));
    expect(lost).toEqual([]);
    expect(resealed).toBeGreaterThan(0);
    const row = await store.snapshot((db) =>
      db.selectFrom('guardrails').selectAll().where('id', '=', made.guardrail.id).executeTakeFirstOrThrow(),
    );
    const opened = unsealWebhookSecret(parseSealKeys(newest), secretBinding(row), row.secret ?? '');
    expect(opened).toBe(made.secret);
    // The running program has only the old key: proxies still get the guardrail.
    const record = (await recordOf(acme)).find(({ id }: JsonResponse) => id === row.id);
    expect(record).toMatchObject({ check: webhook });
    expect(record.secret).toBeUndefined();
    expect(plane.logs.join('')).toContain('the secret of a guardrail cannot be unsealed');
    await as('Delete', { id: row.id });
  });

  it('are in the record of their organization while enabled, in their order', async () => {
    const tenant = await freshTenant();
    expect(await recordOf(tenant)).toEqual([]);
    const second = await created({ position: 9 }, tenant);
    const first = await created({ position: 1, message: 'No.', check: { promptSize: { tokensMax: 3 } } }, tenant);
    await created({ enabled: false }, tenant);
    const { organizationId, enabled, createdAt, hasCredential, ...record } = first;
    expect(await recordOf(tenant)).toMatchObject([record, { id: second.id }]);
    const { revision } = await store.position();
    await as('Update', { id: first.id, enabled: false }, tenant);
    const { changes } = await store.changesAfter(revision, 10);
    expect(changes).toMatchObject([{ kind: 'organization', ref: tenant.id, state: 'changed' }]);
    expect(await recordOf(tenant)).toMatchObject([{ id: second.id }]);
  });

  describe('of AI systems', () => {
    const aiSystem = async (tenant: TestTenant): Promise<string> => {
      const request = { organizationId: tenant.id, name: freshName('system') };
      return (await plane.expect('AiSystems.Create', tenant.owner.token, request)).id;
    };

    it('must be of the organization’s own systems', async () => {
      const tenant = await freshTenant();
      const [mine, foreign] = [await aiSystem(acme), await aiSystem(tenant)];
      expect(await violated(create({ aiSystemIds: [mine, foreign] }))).toEqual(['ai_system_ids']);
      const { id } = await created({ aiSystemIds: [mine, mine] });
      expect(await as('Get', { id })).toMatchObject({ aiSystemIds: [mine] });
      expect(await violated(call('Update', { id, aiSystems: { ids: [foreign] } }))).toEqual(['ai_system_ids']);
      expect(await as('Update', { id, aiSystems: {} })).toMatchObject({ aiSystemIds: [] });
    });

    it('lose a deleted system, and are disabled rather than widened to all systems', async () => {
      const tenant = await freshTenant();
      const [gone, stays] = [await aiSystem(tenant), await aiSystem(tenant)];
      const alone = await created({ aiSystemIds: [gone] }, tenant);
      const both = await created({ aiSystemIds: [gone, stays] }, tenant);
      const all = await created({}, tenant);
      const { revision } = await store.position();
      await plane.expect('AiSystems.Delete', tenant.owner.token, { id: gone });
      expect(await as('Get', { id: alone.id }, tenant)).toMatchObject({ enabled: false, aiSystemIds: [] });
      expect(await as('Get', { id: both.id }, tenant)).toMatchObject({ enabled: true, aiSystemIds: [stays] });
      expect(await as('Get', { id: all.id }, tenant)).toEqual(all);
      expect((await recordOf(tenant)).map(({ id }: JsonResponse) => id)).toEqual([both.id, all.id]);
      const { changes } = await store.changesAfter(revision, 1);
      expect(changes).toContainEqual(expect.objectContaining({ kind: 'organization', ref: tenant.id }));
      const [event] = await eventsOf(gone, tenant);
      expect(JSON.parse(event.after)).toMatchObject({
        guardrailsNarrowed: 2,
        guardrailsDisabled: [alone.id],
      });
    });
  });
});
