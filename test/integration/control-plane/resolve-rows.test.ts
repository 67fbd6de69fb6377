// The one statement behind a resolve: it finds what plain queries of each table find, over random organizations, and
// needs one round trip.
import { StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { recordsOf } from '../../../control-plane/services/records.ts';
import type { AccessRowsRequest } from '../../../control-plane/store/access-rows.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores } from '../../support/databases.ts';
import { plainAccessRows } from '../../support/plain-access-rows.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { storeOrganizations } from '../../support/stored-organizations.ts';

const sealKeys = parseSealKeys(createSealKey());
const now = Date.parse('2026-11-28T12:00:00Z');

describeStores('the rows behind key values', (given) => {
  afterEach(() => void vi.restoreAllMocks());

  const store = (seed: number, organizations: number, keysOfEach: number) =>
    storeOrganizations(given.store, { organizations, keysOfEach, sealKeys, random: new Random(seed).next, now });

  it('are those that plain queries find, for one key and for many', async () => {
    const seed = startingSeed();
    const hashes = await store(seed, roundsOf(8), 4);
    const requests: AccessRowsRequest[] = [
      ...hashes.map((hash) => ({ hashes: [hash], onlyOf: undefined, now })),
      { hashes: [hashes[0] ?? ''], onlyOf: 'organization-1', now },
      { hashes, onlyOf: 'organization-0', now },
      { hashes: [...hashes, 'unknown'], onlyOf: undefined, now },
      { hashes: [], onlyOf: undefined, now },
    ];
    for (const request of requests) {
      const plain = await given.store.snapshot((db, position) => plainAccessRows(db, position, request));
      expect(await given.store.accessRows(request), `seed ${seed}, ${request.hashes}`).toEqual(plain);
    }
  });

  it('make the same records for a key alone as among others', async () => {
    const hashes = await store(startingSeed() + 1, roundsOf(6), 5);
    const deps = { sealKeys, log: silentLog };
    const all = recordsOf(deps, await given.store.accessRows({ hashes, onlyOf: undefined, now }), now);
    let found = 0;
    for (const hash of hashes) {
      const alone = recordsOf(
        deps,
        await given.store.accessRows({ hashes: [hash], onlyOf: undefined, now }),
        now,
      )(hash);
      expect(all(hash)).toEqual(alone);
      if (alone.key != null) found += 1;
    }
    expect(found).toBeGreaterThan(hashes.length / 4);
  });

  it('are read by one statement, which PostgreSQL plans once', async () => {
    const [hash = ''] = await store(1, 1, 1);
    const query = vi.spyOn(Client.prototype, 'query');
    const all = vi.spyOn(StatementSync.prototype, 'all');
    const run = vi.spyOn(StatementSync.prototype, 'run');
    for (let i = 0; i < 20; i++) await given.store.accessRows({ hashes: [hash], onlyOf: undefined, now });
    expect(query.mock.calls.length + all.mock.calls.length + run.mock.calls.length).toBe(20);
    const names = query.mock.calls.map(([config]) => nameOf(config));
    // SQLite's statements have no names.
    expect(new Set(names.slice(5)), 'the names of later statements').toEqual(
      new Set(names.length > 0 ? [names.at(-1)] : []),
    );
    expect(names.at(-1)).not.toBe('');
  });
});

/** The name of a prepared statement; empty if it is not prepared. */
function nameOf(config: unknown): unknown {
  return typeof config === 'object' && config !== null && 'name' in config ? config.name : '';
}
