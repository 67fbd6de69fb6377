// One suite over both databases, which must behave alike.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createLogger } from '../../../common/logger.ts';
import { type ChangeTransaction, NameTakenError, type Store } from '../../../control-plane/store/store.ts';
import { describeStores } from '../../support/databases.ts';
import { until } from '../../support/process.ts';
import {
  change,
  insertAiSystem,
  insertOrganization,
  insertPerson,
  insertProviderKey,
  insertVirtualKey,
  invalidate,
} from '../../support/stored-records.ts';

function organizations(store: Store) {
  return store.snapshot((db) => db.selectFrom('organizations').select(['id', 'revision']).orderBy('id').execute());
}

describeStores('a change', (given) => {
  it('commits a change under the next revision, by the clock of the database', async () => {
    const before = Date.now();
    const seen = await change(given.store, async (tx) => {
      await insertOrganization(tx);
      return { result: tx };
    });
    expect(seen.revision).toBe(1);
    expect(Math.abs(seen.now - before)).toBeLessThan(10_000);
    expect((await given.store.position()).revision).toBe(1);
    expect(await organizations(given.store)).toMatchObject([{ id: 'organization-1', revision: 1 }]);
  });

  it('writes nothing when the work throws, and uses no revision', async () => {
    const failure = new Error('changed my mind');
    const failing = change(given.store, async (tx) => {
      await insertOrganization(tx);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await organizations(given.store)).toEqual([]);
    expect((await given.store.position()).revision).toBe(0);
    expect(await invalidate(given.store, [])).toBe(1);
  });

  it('is rolled back when it found nothing to change', async () => {
    const result = await change(given.store, async (tx) => {
      await insertOrganization(tx);
      return { unchanged: 'as it was' };
    });
    expect(result).toBe('as it was');
    expect(await organizations(given.store)).toEqual([]);
    expect((await given.store.position()).revision).toBe(0);
  });

  it('sees its own writes within a change', async () => {
    const found = await change(given.store, async (tx) => {
      await insertOrganization(tx);
      const { rows } = await sql<{ n: number }>`select count(*) as n from organizations`.execute(tx.db);
      return { result: rows[0]?.n };
    });
    expect(found).toBe(1);
  });

  it('sends a notification after a change', async () => {
    let rung = false;
    given.store.onNotification(() => {
      rung = true;
    });
    await invalidate(given.store, []);
    await until(() => rung);
    expect((await given.store.position()).revision).toBe(1);
  });
});

describeStores('readers during changes', (given) => {
  it('see changes in the order of their revisions, without a gap', async () => {
    let last = 0;
    const seen: number[] = [];
    const read = async () => {
      const page = await given.store.changesAfter(last, 1000);
      seen.push(...page.changes.map((row) => row.revision));
      last = page.upTo;
      return last === 30;
    };
    const changing = Array.from({ length: 30 }, (_, i) =>
      invalidate(given.store, [{ kind: 'person', ref: `person-${i}`, state: 'changed' }]),
    );
    await until(read);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect((await Promise.all(changing)).toSorted((a, b) => a - b)).toEqual(seen);
  });

  it('see a snapshot at its position while changes continue', async () => {
    const changing = Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        change(given.store, (tx) => insertOrganization(tx, { id: `organization-${i}` }).then(() => undefined)),
      ),
    );
    const look = () =>
      given.store.snapshot(async (db, position) => {
        const newest = db.selectFrom('organizations').select((row) => row.fn.max('revision').as('revision'));
        const first = await newest.executeTakeFirstOrThrow();
        const second = await newest.executeTakeFirstOrThrow();
        return [position.revision, first.revision ?? 0, second.revision ?? 0] as const;
      });
    await until(async () => {
      const [position, first, second] = await look();
      expect([first, second]).toEqual([position, position]);
      return position === 20;
    });
    await changing;
  });
});

describeStores('unique names', (given) => {
  it.each([
    ['organization', 'organization'],
    ['person', 'person'],
    ['platform operator', 'person'],
    ['ai_system', 'ai_system'],
    ['virtual_key', 'virtual_key'],
    ['provider_key', 'provider_key'],
  ])('are kept: a second %s of the same name is refused', async (kind, resource) => {
    const insert = () => change(given.store, (tx) => insertNamedOne(tx, kind).then(() => undefined));
    await change(given.store, (tx) => insertOrganization(tx).then(() => undefined));
    await insert();
    const error = await insert().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NameTakenError);
    expect(error).toMatchObject({ resource, field: 'name' });
    expect((await given.store.position()).revision).toBe(2);
  });

  it('can be used again after a key is revoked, while its client request id stays used', async () => {
    const key = { name: 'one', client_request_id: 'request-1' };
    await change(given.store, async (tx) => {
      await insertOrganization(tx);
      await insertOrganization(tx, { id: 'organization-2' });
      await insertVirtualKey(tx, { ...key, id: 'key-1', revoked_at: 1 });
      await insertVirtualKey(tx, { ...key, id: 'key-2', organization_id: 'organization-2' });
      await insertVirtualKey(tx, { id: 'key-3', name: 'one' });
      return undefined;
    });
    const again = change(given.store, async (tx) => {
      await insertVirtualKey(tx, { ...key, id: 'key-4', name: 'other' });
      return undefined;
    });
    await expect(again).rejects.toMatchObject({ resource: 'virtual_key', field: 'client_request_id' });
  });
});

async function insertNamedOne(tx: ChangeTransaction, kind: string): Promise<void> {
  const own = { organization_id: 'organization-1', name: 'one' };
  switch (kind) {
    case 'organization':
      return insertOrganization(tx, { id: `organization-${tx.revision}`, name: 'one' });
    case 'person':
      return insertPerson(tx, { ...own, id: `person-${tx.revision}` });
    case 'platform operator':
      return insertPerson(tx, { id: `person-${tx.revision}`, name: 'one', organization_id: null });
    case 'ai_system':
      return insertAiSystem(tx, { ...own, id: `system-${tx.revision}` });
    case 'virtual_key':
      return insertVirtualKey(tx, { ...own, id: `key-${tx.revision}` });
    default:
      return insertProviderKey(tx, { ...own, id: `provider-key-${tx.revision}`, secret: '' });
  }
}

describeStores('the limits of the store', (given) => {
  it('refuse a number that cannot be stored exactly, on reading and writing', async () => {
    const writing = change(given.store, (tx) => insertOrganization(tx, { created_at: 1.5 }).then(() => undefined));
    await expect(writing).rejects.toThrow(/integer|bigint/);
    await given.database.raw('update feed set revision = 9007199254740993');
    await expect(given.store.position()).rejects.toThrow(RangeError);
  });

  const ran = (...steps: readonly string[]) =>
    given.database.raw(
      `insert into kysely_migration values ${steps.map((step) => `('${step}', '2030-01-01T00:00:00Z')`).join(', ')}`,
    );

  it('allow opening and changing a database to which a newer version has only added', async () => {
    await ran('998_more', '999_columns');
    const logged: string[] = [];
    const log = createLogger({
      name: 'test',
      level: 'warn',
      stream: { write: (line) => void logged.push(line) },
    });
    const store = await given.database.open({ log });
    await change(store, (tx) => insertOrganization(tx).then(() => undefined));
    expect(logged.join()).toContain('"steps":["998_more","999_columns"]');
  });

  it('refuse a database that a newer version has changed in an incompatible way', async () => {
    await ran('998_more', '999_moved_breaking');
    await expect(given.database.open()).rejects.toThrow(
      /newer version .*998_more, 999_moved_breaking.*start that version/,
    );
  });
});
