// Limits on look-ups of names by organizations, and how long the operator's names remain usable when DNS servers fail.
import { afterEach, describe, expect, it } from 'vitest';
import type { ResolvedName } from '../../../../common/dns-resolve.ts';
import { OccupiedShare } from '../../../../common/shares.ts';
import type { NameLookups, NameLookupsOptions } from '../../../../proxy/upstream/name-lookups.ts';
import { type DnsServer, startDnsServer } from '../../../support/dns-server.ts';
import { until } from '../../../support/process.ts';
import { lookupsOf } from '../../../support/transports.ts';

const servers: DnsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function dns(...given: Parameters<typeof startDnsServer>): Promise<DnsServer> {
  const server = await startDnsServer(...given);
  servers.push(server);
  return server;
}

const a = { organization: 'a', key: 'a-1' };
const b = { organization: 'b', key: 'b-1' };
const address = [{ address: '192.0.2.1', family: 4 }];

describe('look-ups of names of organizations', () => {
  it('go to the DNS servers, with the whole name', async () => {
    const server = await dns({ 'models.example.com': ['192.0.2.1'] });
    const lookups = lookupsOf({ servers: [server.address] });
    expect(await lookups.find('Models.Example.com.', { owner: a })).toEqual(address);
    await expect(lookups.find('gone.example.com', { owner: a })).rejects.toMatchObject({
      ...{ name: 'LookupFailedError', code: 'ENOTFOUND' },
    });
    expect(new Set(server.requested)).toEqual(new Set(['models.example.com', 'gone.example.com']));
  });

  it('do not use the names of this machine: the hosts file is ignored, and localhost is not looked up', async () => {
    const server = await dns({});
    const lookups = lookupsOf({ servers: [server.address] });
    for (const host of ['localhost', 'a.localhost'])
      expect(await lookups.find(host, { owner: a })).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(server.requested).toEqual([]);
  });

  it('of one organization at slow servers take no slot of other organizations', async () => {
    const server = await dns({ 'fast.example': ['192.0.2.1'] }, 'slow.example');
    const share = new OccupiedShare({ capacity: 16, alpha: 1 });
    const lookups = lookupsOf({ servers: [server.address], share, timeoutMs: 60_000 });
    const ending = new AbortController();
    const { signal } = ending;
    const slow = Array.from({ length: 40 }, (_, i) =>
      lookups.find(`h${i}.slow.example`, { owner: a, signal }).catch((error: Error) => error.name),
    );
    await until(() => share.refused === 32, { what: 'all but its share to be refused' });
    expect(share.used).toBe(8);
    expect(await lookups.find('fast.example', { owner: b })).toEqual(address);
    ending.abort(new DOMException('left', 'Left'));
    const ends = await Promise.all(slow);
    expect(ends.filter((name) => name === 'LookupRefusedError')).toHaveLength(32);
    expect(ends.filter((name) => name === 'Left')).toHaveLength(8);
    await until(() => share.used === 0, { what: 'its look-ups to end with their request' });
  });

  it('end after their time limit, whatever the servers do', async () => {
    const server = await dns(undefined);
    const share = new OccupiedShare({ capacity: 16, alpha: 1 });
    const lookups = lookupsOf({ servers: [server.address], share, timeoutMs: 50 });
    await expect(lookups.find('slow.example', { owner: a })).rejects.toThrow(/was not found/);
    expect(share.used).toBe(0);
  });

  it('are shared by waiting requests of an organization, until the last of them leaves', async () => {
    const server = await dns(undefined);
    const share = new OccupiedShare({ capacity: 16, alpha: 1 });
    const lookups = lookupsOf({ servers: [server.address], share, timeoutMs: 60_000 });
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [
      lookups.find('slow.example', { owner: a, signal: first.signal }),
      lookups.find('slow.example', { owner: { ...a, key: 'a-2' }, signal: second.signal }),
      lookups.find('slow.example', { owner: b, signal: second.signal }),
    ];
    for (const one of waiting) one.catch(() => undefined);
    expect(share.used).toBe(2);
    first.abort();
    await expect(waiting[0]).rejects.toThrow();
    expect(share.used).toBe(2);
    second.abort();
    await Promise.allSettled(waiting);
    await until(() => share.used === 0, { what: 'the look-ups to end' });
  });
});

/** DNS servers that the test plays, with a clock. */
class Played {
  now = 0;
  requested = 0;
  says: () => Promise<ResolvedName> = () => Promise.resolve({ addresses: address, ttl: 300 });
  readonly lookups: NameLookups;

  constructor(options: Partial<NameLookupsOptions> = {}) {
    this.lookups = lookupsOf({
      own: new Set(['vendor.example']),
      // No organization has room for a look-up.
      share: new OccupiedShare({ capacity: 0, alpha: 1 }),
      now: () => this.now,
      askSystem: () => {
        this.requested++;
        return this.says();
      },
      ...options,
    });
  }

  find() {
    return this.lookups.find('vendor.example', { owner: a });
  }

  fails(code: string): void {
    this.says = () => Promise.reject(Object.assign(new Error(code), { code }));
  }
}

describe('look-ups of names of the operator', () => {
  it('are made once at a time, are cached for a short while, and use no organization’s share', async () => {
    const played = new Played();
    await Promise.all([played.find(), played.find()]);
    played.now = 29_999;
    expect(await played.find()).toEqual(address);
    expect(played.requested).toBe(1);
    played.now = 30_000;
    await played.find();
    expect(played.requested).toBe(2);
  });

  it('are cached no longer than the DNS servers allow', async () => {
    const played = new Played();
    played.says = () => Promise.resolve({ addresses: address, ttl: 5 });
    await played.find();
    played.now = 5_000;
    await played.find();
    expect(played.requested).toBe(2);
  });

  it('are repeated soon, but not at once, when a name was not found', async () => {
    const played = new Played();
    played.fails('ENOTFOUND');
    await expect(played.find()).rejects.toThrow(/ENOTFOUND/);
    played.now = 999;
    await expect(played.find()).rejects.toThrow(/ENOTFOUND/);
    expect(played.requested).toBe(1);
    played.now = 1_000;
    played.says = () => Promise.resolve({ addresses: address, ttl: 5 });
    expect(await played.find()).toEqual(address);
  });

  it('stay valid for five minutes when the DNS servers fail', async () => {
    const played = new Played();
    await played.find();
    played.fails('ETIMEOUT');
    played.now = 40_000;
    expect(await played.find()).toEqual(address);
    played.says = () => new Promise(() => undefined);
    played.now = 299_999;
    expect(await played.find()).toEqual(address);
    played.now = 300_000;
    let isFound = false;
    void played.find().then(() => {
      isFound = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(isFound).toBe(false);
  });

  it('do not stay valid when the DNS servers report that the name no longer exists', async () => {
    const played = new Played();
    await played.find();
    played.fails('ENOTFOUND');
    played.now = 40_000;
    await expect(played.find()).rejects.toThrow(/ENOTFOUND/);
  });
});
