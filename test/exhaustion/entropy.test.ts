// Randomness: the kernel's getrandom never blocks on a running machine and needs neither file nor descriptor, so
// programs start and serve where /dev/random and /dev/urandom are empty. If getrandom failed nevertheless (a running
// kernel never does; a system call filter could), requests that need randomness are refused, no weaker source is used,
// and programs recover when it works again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { inOwnMounts } from '../support/small-disk.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { openStriking } from './strikes.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

const striking = openStriking();
let folder: string;
let world: World;
let proxy: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-no-random-'));
  const empty = ['random', 'urandom'].map((name) => `: > "$0/${name}" && mount --bind "$0/${name}" /dev/${name}`);
  const own = `mount -t tmpfs tmpfs "$0" && ${empty.join(' && ')}`;
  const { env, options } = striking.plane;
  const within = inOwnMounts(own, folder);
  world = await startWorld({ env, options: { ...options, within } });
  proxy = await world.startProxy(env, { ...options, within });
}, startMs);
afterAll(async () => {
  await world?.close();
  striking.remove();
  rmSync(folder, { recursive: true });
});

it(
  'programs serve without /dev/random, refuse requests that need randomness when there is none, and recover',
  async () => {
    const { organization } = world;
    const { value: key } = await organization.createKey();
    expect(await ask(proxy, key)).toBe('200');
    await striking.strike(proxy, { noEntropy: true });
    // Ids are made from bytes that were fetched earlier, for a while.
    let served = 1;
    let last = '200';
    for (let sent = 0; sent < 300 && last === '200'; sent++) {
      last = await ask(proxy, key);
      if (last === '200') served++;
    }
    expect(last).toBe('500 internal_error');
    // Requests without an id are sent to no provider.
    expect(world.simulator.requests).toHaveLength(served);
    expect(await readiness(proxy)).toBe('ok');
    expect(await metric(proxy, 'gateway_requests_total', { code: 'internal_error' })).toBe(1);
    await striking.strike(world.controlPlane, { noEntropy: true });
    await expect(organization.createKey()).rejects.toThrow();
    await striking.strike(world.controlPlane, {});
    await striking.strike(proxy, {});
    expect(await ask(proxy, (await organization.createKey()).value)).toBe('200');
    await until(async () => (await recorded(organization)) === served + 1);
    expect(await metric(proxy, 'gateway_usage_events_total', { outcome: 'lost' })).toBe(0);
  },
  startMs,
);
