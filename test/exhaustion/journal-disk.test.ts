// The disk of the journal is full: requests with a budget continue in a session without a journal, which is counted,
// and a new journal is opened without a restart once there is room. No money stays unconfirmed.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { onSmallDisk, smallDiskOf } from '../support/small-disk.ts';
import { createBudget, ledgerAtRest, makeDear } from '../support/spending.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

let folder: string;
let world: World;
let proxy: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-journal-'));
  world = await startWorld();
  proxy = await world.startProxy({ GATEWAY_JOURNAL_DIR: folder }, { within: onSmallDisk({ folder, kibibytes: 256 }) });
}, startMs);
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

it('a proxy on a full journal disk serves without a journal, counts it, and opens one again when there is room', async () => {
  const { organization } = world;
  const disk = smallDiskOf(proxy.child, { folder, kibibytes: 256 });
  await makeDear(organization);
  const { id, value: key } = await organization.createKey();
  const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '50' });
  const journals = () => readdirSync(disk.path('.')).filter((name) => name.endsWith('.journal'));
  const failures = () => metric(proxy, 'gateway_journal_failures_total');
  expect(await ask(proxy, key)).toBe('200');
  expect(journals()).toHaveLength(1);
  disk.fill();
  let requested = 1;
  for (; requested < 12; requested++) expect(await ask(proxy, key)).toBe('200');
  expect(journals()).toEqual([]);
  const first = await failures();
  expect(first).toBeGreaterThan(0);
  expect(await readiness(proxy)).toBe('ok');
  // The counter continues to rise, so that an alert does not end while the disk is full.
  await until(async () => (await failures()) > first);
  disk.free();
  await until(() => journals().length === 1, { what: 'a journal to be kept again' });
  for (; requested < 15; requested++) expect(await ask(proxy, key)).toBe('200');
  await until(async () => (await recorded(organization)) === requested);
  expect(await proxy.child.stop()).toBe(0);
  const ledger = await ledgerAtRest(organization, budget);
  expect(ledger.unconfirmed).toBe(0);
  expect(ledger.spent).toBeGreaterThan(0);
});
