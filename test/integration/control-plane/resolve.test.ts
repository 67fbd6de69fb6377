// The records that a proxy gets for a key value: all from one snapshot, and nothing that it may not know.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { createCredential, hashCredential } from '../../../common/credential.ts';
import { verifyingKey } from '../../../common/record-signature.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import type { Feed } from '../../../control-plane/changes/feed.ts';
import { sealProviderSecret } from '../../../control-plane/domain/provider-secret.ts';
import { type AccessService, defaultAccessLimits } from '../../../control-plane/services/access.ts';
import type { ChangeTransaction, Store } from '../../../control-plane/store/store.ts';
import { recordTypes } from '../../../proto/load.ts';
import { accessLimits } from '../../../proxy/access/limits.ts';
import { openRecordKeys } from '../../../proxy/access/record-keys.ts';
import { parseSigned } from '../../../proxy/control-plane/wire-signed.ts';
import { describeStores, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import {
  change,
  insertAiSystem,
  insertKeyValue,
  insertLimit,
  insertOrganization,
  insertPerson,
  insertPrice,
  insertProviderKey,
  insertVirtualKey,
} from '../../support/stored-records.ts';
import type { VirtualTime } from '../../support/virtual-time.ts';
import { anyProxy, boundProxy, startAccess } from '../../support/watching.ts';

const hash = hashCredential(createCredential('virtualKey'));
const sealKeys = parseSealKeys(createSealKey());
const location = { organizationId: 'organization-1', providerKeyId: 'provider-key-1', version: 1 };
const request = (of = hash) => ({ keyHash: Buffer.from(of, 'hex'), signed: false });
const unknownHash = (i: number) => i.toString(16).padStart(64, '0');

const store = (to: Store, work: (tx: ChangeTransaction) => Promise<unknown>) =>
  change(to, (tx) => work(tx).then(() => undefined));

describeStores('Resolve', (given) => {
  let feed: Feed;
  let service: AccessService;
  let time: VirtualTime;
  beforeEach(async () => {
    ({ feed, service, time } = await startAccess(given.store, { sealKeys }));
    await store(given.store, (tx) => insertOrganization(tx, { allowed_models: '["gpt-provider/*"]' }));
  });
  afterEach(() => feed.close());

  it('returns key, scope and organization as of one position', async () => {
    const endsAt = Date.parse('2100-01-02T03:04:05.678Z');
    await store(given.store, async (tx) => {
      await insertAiSystem(tx, { active: 0, allowed_models: '["*/small"]' });
      const scope = { scope_kind: 'ai_system', scope_id: 'system-1' } as const;
      await insertVirtualKey(tx, { ...scope, active: 0, ends_at: endsAt, allowed_models: '["a/b","c/*"]' });
      await insertKeyValue(tx, { hash, ends_at: endsAt });
    });
    expect(await service.resolve(anyProxy, request())).toEqual({
      asOf: await given.store.position(),
      key: {
        ...{ keyId: 'key-1', organizationId: 'organization-1', active: false, revision: 2 },
        scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'system-1' },
        ...{ endsAt: '2100-01-02T03:04:05.678Z', valueEndsAt: '2100-01-02T03:04:05.678Z' },
        ...{ allowedModels: ['a/b', 'c/*'], limits: [], organizationRevision: 1 },
      },
      scope: {
        ...{ kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'system-1', organizationId: 'organization-1' },
        ...{ active: false, allowedModels: ['*/small'], limits: [], revision: 2 },
      },
      organization: {
        ...{
          id: 'organization-1',
          active: true,
          callerProviderKeys: false,
          hangUp: 'HANG_UP_CANCEL',
          unknownCost: 'UNKNOWN_COST_HOLD',
          modelAliases: [],
          ownTools: { egress: false, execution: false },
          responses: { stored: true, background: false, safetyIdentifier: false },
          pricedOptions: { allowed: true },
          recordKeys: [],
          providerKeys: [],
          revision: 1,
        },
        ...{ allowedModels: ['gpt-provider/*'], limits: [], providers: [], prices: [], guardrails: [], routes: [] },
        stops: [],
      },
    });
  });

  it('returns the same records signed, instead of the plain ones, when signatures are requested', async () => {
    await store(given.store, async (tx) => {
      await insertAiSystem(tx);
      await insertVirtualKey(tx, { scope_kind: 'ai_system', scope_id: 'system-1' });
      await insertKeyValue(tx, { hash });
    });
    const plain = await service.resolve(anyProxy, request());
    const signed = await service.resolve(anyProxy, { ...request(), signed: true });
    expect(signed).not.toHaveProperty('key');
    expect(signed.asOf).toEqual(plain.asOf);
    const [publicKey = Buffer.alloc(0)] = signed.recordKeys ?? [];
    const keys = openRecordKeys(
      { keys: [verifyingKey(Buffer.from(publicKey))], file: undefined, maxStaleMs: 3_600_000 },
      { log: silentLog, clock: systemClock, limits: accessLimits },
    );
    const records = (signed.signed ?? []).map((record) => parseSigned(recordTypes.signed.serialize(record)));
    expect(records.map(({ ref }) => ref)).toEqual([hash, 'organization:organization-1', 'ai_system:system-1']);
    expect(records.every((record) => keys.isGenuine(record))).toBe(true);
    expect(records.every(({ signature }) => signature.revision === Number(plain.asOf?.revision))).toBe(true);
    expect(records[0]?.body).toEqual(recordTypes.key.serialize(plain.key ?? {}));
    const unknown = await service.resolve(anyProxy, { ...request(unknownHash(1)), signed: true });
    expect([unknown.signed, unknown.recordKeys]).toEqual([[], signed.recordKeys]);
  });

  it('returns no scope for a key of the organization, and no ends where there are none', async () => {
    await store(given.store, async (tx) => {
      await insertVirtualKey(tx);
      await insertKeyValue(tx, { hash });
    });
    const response = await service.resolve(anyProxy, request());
    expect(response).not.toHaveProperty('scope');
    expect(response.key).not.toHaveProperty('endsAt');
    expect(response.key).not.toHaveProperty('valueEndsAt');
    expect(response.key?.scope).toEqual({ kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: 'organization-1' });
  });

  it('returns a person as scope, and settings and suspension of the organization', async () => {
    await store(given.store, async (tx) => {
      await insertPerson(tx);
      await insertVirtualKey(tx, { scope_kind: 'person', scope_id: 'person-1' });
      await insertKeyValue(tx, { hash });
      await tx.db
        .updateTable('organizations')
        .set({ suspended: 1, caller_provider_keys: 1, revision: tx.revision })
        .execute();
    });
    const response = await service.resolve(anyProxy, request());
    expect(response.scope).toMatchObject({ kind: 'KEY_SCOPE_KIND_PERSON', id: 'person-1', active: true });
    expect(response.organization).toMatchObject({ active: false, callerProviderKeys: true, revision: 2 });
    expect(response.key?.organizationRevision).toBe(2);
  });

  it('returns the enabled provider keys, unsealed, by priority', async () => {
    const seal = (id: string, apiKey: string) =>
      sealProviderSecret(sealKeys, { ...location, providerKeyId: id }, { apiKey });
    await store(given.store, async (tx) => {
      await insertVirtualKey(tx);
      await insertKeyValue(tx, { hash });
      await insertProviderKey(tx, { id: 'second', priority: 2, secret: seal('second', 'canary-2') });
      await insertProviderKey(tx, { id: 'off', enabled: 0, secret: seal('off', 'canary-0') });
      const settings = '{"baseUrl":"https://models.example/v1"}';
      await insertProviderKey(tx, { id: 'first', weight: 7, settings, secret: seal('first', 'canary-1') });
      // A secret that was copied from another row cannot be unsealed in this one.
      await insertProviderKey(tx, { id: 'copied', secret: seal('first', 'canary-1') });
    });
    const { organization } = await service.resolve(anyProxy, request());
    expect(organization?.providerKeys).toEqual([
      {
        ...{ id: 'first', provider: 'gpt-provider', priority: 0, weight: 7 },
        ...{ secret: { apiKey: 'canary-1' }, settings: { baseUrl: 'https://models.example/v1' } },
      },
      {
        ...{ id: 'second', provider: 'gpt-provider', priority: 2, weight: 1 },
        ...{ secret: { apiKey: 'canary-2' }, settings: {} },
      },
    ]);
  });

  it('returns the limits of each level and the organization’s prices, without deleted budgets', async () => {
    await store(given.store, async (tx) => {
      await insertOrganization(tx, { id: 'organization-2' });
      await insertVirtualKey(tx);
      await insertKeyValue(tx, { hash });
      const budget = { id: 'budget', kind: 'budget', amount: 12_500_000_000, period: 'month' } as const;
      const subject = { subject_kind: 'virtual_key', subject_id: 'key-1' } as const;
      await insertLimit(tx, { ...budget, ...subject, model: '*/large' });
      await insertLimit(tx, { ...budget, ...subject, id: 'deleted', deleted_at: tx.now });
      await insertLimit(tx, { id: 'rate' });
      await insertPrice(tx, { prices: '{"input":"1","output":"2","tiers":[],"asOf":"2026-11-20"}' });
      await insertPrice(tx, { id: 'price-2', organization_id: 'organization-2', model: 'a/b' });
    });
    const { key, organization } = await service.resolve(anyProxy, request());
    expect(key?.limits).toEqual([
      {
        ...{ id: 'budget', kind: 'LIMIT_KIND_BUDGET', amountUsd: '12.5', period: 'BUDGET_PERIOD_MONTH' },
        model: '*/large',
      },
    ]);
    expect(organization?.limits).toEqual([{ id: 'rate', kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '60' }]);
    expect(organization?.prices).toEqual([
      {
        ...{ id: 'price-1', model: 'gpt-provider/*' },
        prices: { input: '1', output: '2', tiers: [], asOf: '2026-11-20' },
      },
    ]);
  });

  it('returns the same for keys that are unknown, revoked, expired, without scope or of another organization', async () => {
    const nobody = { scope_kind: 'person', scope_id: 'nobody' } as const;
    const now = time.now();
    await store(given.store, async (tx) => {
      await insertOrganization(tx, { id: 'organization-2' });
      await insertVirtualKey(tx, { id: 'revoked', revoked_at: now });
      await insertVirtualKey(tx, { id: 'rotated' });
      await insertVirtualKey(tx, { id: 'orphan', ...nobody });
      await insertVirtualKey(tx, { id: 'foreign', organization_id: 'organization-2' });
      await insertKeyValue(tx, { key_id: 'revoked', hash: unknownHash(1) });
      await insertKeyValue(tx, { key_id: 'rotated', hash: unknownHash(2), ends_at: now });
      await insertKeyValue(tx, { key_id: 'rotated', hash: unknownHash(3), ends_at: now + 1 });
      await insertKeyValue(tx, { key_id: 'orphan', hash: unknownHash(4) });
      await insertKeyValue(tx, { key_id: 'foreign', hash: unknownHash(5) });
    });
    const asOf = await given.store.position();
    for (const i of [0, 1, 2, 4, 5]) {
      expect(await service.resolve(boundProxy, request(unknownHash(i)))).toEqual({ asOf });
    }
    expect((await service.resolve(boundProxy, request(unknownHash(3)))).key?.keyId).toBe('rotated');
    expect((await service.resolve(anyProxy, request(unknownHash(5)))).key?.keyId).toBe('foreign');
  });
});

describe('Resolve', () => {
  let database: StoreDatabase;
  let service: AccessService;
  let feed: Feed;
  let time: VirtualTime;
  beforeEach(async () => {
    database = await freshSqlite();
    const opened = await database.open();
    const limits = { ...defaultAccessLimits, unknownBurst: 3, unknownPerSecond: 2 };
    ({ feed, service, time } = await startAccess(opened, { sealKeys, limits }));
    await store(opened, async (tx) => {
      await insertOrganization(tx);
      await insertVirtualKey(tx);
      await insertKeyValue(tx, { hash });
      await insertKeyValue(tx, { hash: unknownHash(99) });
    });
  });
  afterEach(async () => {
    await feed.close();
    await database.drop();
  });
  const ask = (i: number, caller = anyProxy) => service.resolve(caller, request(unknownHash(i)));
  const refused = { code: 'RESOURCE_EXHAUSTED', reason: 'too_many_unknown_keys' };

  it.each([0, 31, 33])('refuses a hash of %i bytes', async (length) => {
    const response = service.resolve(anyProxy, { keyHash: Buffer.alloc(length), signed: false });
    await expect(response).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it("limits a proxy's look-ups of unknown keys, and allows more after a while", async () => {
    for (let i = 0; i < 3; i++) expect(await ask(i)).not.toHaveProperty('key');
    await expect(ask(3)).rejects.toMatchObject(refused);
    await time.advance(499);
    await expect(ask(3)).rejects.toMatchObject(refused);
    await time.advance(1);
    expect(await ask(3)).not.toHaveProperty('key');
    await expect(ask(4)).rejects.toMatchObject(refused);
  });

  it('never accumulates more than the burst of look-ups', async () => {
    await ask(0);
    await time.advance(3_600_000);
    for (let i = 0; i < 3; i++) await ask(i);
    await expect(ask(3)).rejects.toMatchObject(refused);
  });

  it('does not limit other proxies and keys that were found before', async () => {
    expect((await service.resolve(anyProxy, request())).key).toBeDefined();
    for (let i = 0; i < 3; i++) await ask(i);
    await expect(ask(99)).rejects.toMatchObject(refused);
    expect((await service.resolve(anyProxy, request())).key).toBeDefined();
    expect((await ask(99, boundProxy)).key).toBeDefined();
  });

  it('counts only look-ups of unknown keys', async () => {
    for (let i = 0; i < 10; i++) expect((await service.resolve(anyProxy, request())).key).toBeDefined();
    for (let i = 0; i < 3; i++) await ask(i);
    await expect(ask(3)).rejects.toMatchObject(refused);
  });
});
