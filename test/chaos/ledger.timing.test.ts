// Twelve seconds of chaos, alone, because its programs must start while others wait for them. test/chaos/run-ledger.ts runs
// as long as requested, and waits for sessions to expire.
import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { askTestServers } from '../support/test-servers.ts';
import { linesOf, runChaos } from './ledger.run.ts';

it('every response is in the ledger once, or its cost is still reserved, while proxies, control planes and servers are killed', async () => {
  const seed = Number(process.env.CHAOS_SEED ?? startingSeed());
  console.log(`CHAOS_SEED=${seed}`);
  const lines: string[] = [];
  const chaos = await runChaos({
    ...{ source: await askTestServers('source'), seed, seconds: 12, pauseMsMax: 900 },
    proxies: 2,
    controlPlanes: 2,
    callers: 8,
    waitsForExpiry: false,
    log: (line) => lines.push(line),
  });
  console.log([...lines, ...linesOf(chaos)].join('\n'));
  expect(chaos.verdict.faults).toEqual([]);
  expect(chaos.verdict.recorded).toBeGreaterThan(50);
  expect(chaos.audit.samples).toBeGreaterThan(20);
  expect(new Set(chaos.absences.map(({ name }) => name)).size, 'killed programs and servers').toBe(6);
}, 240_000);
