// Which namespaces of apps the keeper checks and when, and what it logs about those that fail.
import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../common/logger.ts';
import { ApiError } from '../../../keeper/api/client.ts';
import { createTenantKeeper } from '../../../keeper/authority/tenants.ts';

const minute = 60_000;

let now: number;
let isLeader: boolean;
let tenants: string[];
let looked: string[];
/** The outcome by namespace: an error, or false when nothing could be done yet. Other namespaces are complete. */
const outcomes = new Map<string, Error | false>();
let lines: string[];
let keeper: ReturnType<typeof createTenantKeeper>;

beforeEach(() => {
  [now, isLeader, tenants, looked, lines] = [1, true, ['a', 'b'], [], []];
  outcomes.clear();
  keeper = createTenantKeeper({
    certificates: {
      keepLeaf: async (_leaf, { namespace }) => {
        looked.push(namespace);
        const outcome = outcomes.get(namespace) ?? true;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    },
    clock: { now: () => now, monotonic: () => now },
    log: createLogger({ name: 'test', level: 'info', stream: { write: (line) => lines.push(line) } }),
    ...{ namespace: 'model-gateway', tenants: () => tenants, isLeader: () => isLeader },
  });
});

/** @returns the namespaces that were checked */
async function round(): Promise<readonly string[]> {
  looked = [];
  await keeper.run();
  return looked;
}

const notices = () => lines.filter((line) => line.includes('no certificate is made there'));

describe('a namespace', () => {
  it('is checked at once, and every ten minutes while its certificate is complete', async () => {
    expect(await round()).toEqual(['a', 'b']);
    now += 9 * minute;
    tenants.push('c');
    expect(await round()).toEqual(['c']);
    now += minute;
    expect(await round()).toEqual(['a', 'b']);
  });

  it('is checked again in the next round when nothing could be done yet', async () => {
    outcomes.set('a', false);
    expect(await round()).toEqual(['a', 'b']);
    expect(await round()).toEqual(['a']);
    outcomes.clear();
    expect(await round()).toEqual(['a']);
    expect(await round()).toEqual([]);
  });

  it('is checked again after its keeper becomes the leader again', async () => {
    await round();
    isLeader = false;
    expect(await round()).toEqual([]);
    isLeader = true;
    expect(await round()).toEqual(['a', 'b']);
  });

  it('without a Secret for the certificate is no failure: it is logged once, and checked every minute', async () => {
    outcomes.set('a', new ApiError(404, 'there is no Secret'));
    await round();
    now += minute;
    expect(await round()).toEqual(['a']);
    expect(notices()).toHaveLength(1);
    expect(notices()[0]).toContain('"namespace":"a"');
  });

  it('is logged again when it was deleted and created again', async () => {
    outcomes.set('a', new ApiError(403, 'forbidden'));
    await round();
    tenants = ['b'];
    await round();
    tenants = ['a', 'b'];
    expect(await round()).toEqual(['a']);
    expect(notices()).toHaveLength(2);
  });
});

describe('a namespace that fails', () => {
  const outage = new ApiError(500, 'etcd is away');

  it('does not prevent checks of others, and is reported with the reason', async () => {
    outcomes.set('a', outage);
    await expect(round()).rejects.toMatchObject({
      message: 'certificates of sidecars cannot be kept in a',
      cause: outage,
    });
    expect(looked).toEqual(['a', 'b']);
  });

  it('is a failure in every round until its next successful check', async () => {
    outcomes.set('a', outage);
    await expect(round()).rejects.toThrow('in a');
    await expect(round()).rejects.toThrow('in a');
    expect(looked).toEqual([]);
    outcomes.clear();
    now += minute;
    expect(await round()).toEqual(['a']);
    expect(await round()).toEqual([]);
  });

  it('is forgotten when it is deleted, or when this keeper is not the leader', async () => {
    outcomes.set('a', outage);
    await expect(round()).rejects.toThrow('in a');
    tenants = ['b'];
    await round();
    tenants = ['a', 'b'];
    await expect(round()).rejects.toThrow('in a');
    isLeader = false;
    await round();
  });

  it('is reported among many: five are named, the rest are counted', async () => {
    tenants = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const name of tenants) outcomes.set(name, outage);
    await expect(round()).rejects.toThrow('cannot be kept in a, b, c, d, e and 2 more');
  });

  it('never delays the first check of another namespace', async () => {
    const failing = Array.from({ length: 100 }, (_, index) => `failing-${index}`);
    for (const name of failing) outcomes.set(name, outage);
    tenants = [...failing, 'last'];
    await expect(round()).rejects.toThrow('and 95 more');
    expect(looked).toHaveLength(100);
    now += minute;
    await expect(round()).rejects.toThrow();
    expect(looked[0]).toBe('last');
  });
});
