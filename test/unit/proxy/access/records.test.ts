import { beforeEach, describe, expect, it } from 'vitest';
import type { Position } from '../../../../proxy/access/feed-state.ts';
import { accessLimits } from '../../../../proxy/access/limits.ts';
import type { Principal } from '../../../../proxy/access/principal.ts';
import { Records } from '../../../../proxy/access/records.ts';
import { createWorld, hashOf } from '../../../support/access/one-proxy.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const maxStaleMs = 60_000;
const [key, otherKey] = [hashOf(1), hashOf(2)];
const at = (revision: number, epoch = 'one'): Position => ({ epoch, revision });

let time: VirtualTime;
let records: Records;

beforeEach(() => {
  time = new VirtualTime();
  records = new Records({ clock: time, maxStaleMs, limits: accessLimits });
});

function principalOf(hash: string): Principal {
  const { database } = createWorld();
  database.createOrganization('north');
  database.createSystem('system', 'north');
  database.createKey(hash, { organizationId: 'north', scopeId: 'system' });
  const { principal } = database.resolve(hash);
  if (principal === undefined) throw new Error('the key is there');
  return principal;
}

function accept(hash = key, asOf = at(5)): void {
  records.accept(hash, { asOf, principal: principalOf(hash) }, time.monotonic());
}

describe('a key that the control plane does not know', () => {
  it('is unknown for a while, and then looked up again', async () => {
    records.accept(key, { asOf: at(5), principal: undefined }, time.monotonic());
    await time.advance(accessLimits.unknownForMs - 1);
    expect(records.look(key)).toEqual({ state: 'unknown' });
    await time.advance(1);
    expect(records.look(key)).toEqual({ state: 'missing', needs: [{ kind: 'key', ref: key }] });
  });
});

describe('records before the feed has begun', () => {
  it('are served when all are of one history', () => {
    accept();
    expect(records.look(key).state).toBe('fresh');
  });

  it('are looked up again when the organization is of another history than the key', () => {
    accept();
    accept(otherKey, at(9, 'two'));
    // The other key's resolve has delivered the organization and the AI system that both share.
    const [first] = [key, otherKey].filter((hash) => records.look(hash).state === 'missing');
    expect(first).toBeDefined();
    expect(records.look(first ?? '')).toEqual({ state: 'missing', needs: [{ kind: 'key', ref: first }] });
  });
});

describe('the ageing records of a key', () => {
  it('none is ageing for half of the time that records may be served, then all are', async () => {
    accept();
    await time.advance(maxStaleMs / 2);
    expect(records.ageing(key)).toEqual([]);
    await time.advance(1);
    expect(records.ageing(key).map(({ kind }) => kind)).toEqual(['key', 'ai_system', 'organization', 'platform']);
  });

  it('only old records are ageing, not those that another key has renewed', async () => {
    accept();
    await time.advance(maxStaleMs / 2 + 1);
    accept(otherKey, at(6));
    expect(records.ageing(key).map(({ kind }) => kind)).toEqual(['key']);
  });

  it('a key that memory has dropped has none', () => {
    expect(records.ageing(key)).toEqual([]);
  });
});

describe('a key that memory has dropped', () => {
  it('gets neither grace nor a later renewal, and causes no failure', () => {
    records.grantGrace(key);
    records.postponeRenewal(key, 1_000);
    expect(records.look(key).state).toBe('missing');
  });
});

describe('a key of a person', () => {
  it('needs the person’s record again once that has changed', () => {
    const principal = principalOf(key);
    const scope = { ...principal.scope, kind: 'person' as const, id: 'ada' } as Principal['scope'];
    const record = { ...principal.key, scope: { kind: 'person' as const, id: 'ada' } };
    records.feed.begin(at(1));
    records.accept(key, { asOf: at(5), principal: { ...principal, key: record, scope } }, time.monotonic());
    records.change([{ kind: 'person', ref: 'person:ada', revision: 6, state: 'changed' }]);
    expect(records.look(key)).toEqual({ state: 'missing', needs: [{ kind: 'person', ref: 'person:ada' }] });
  });
});
