// Twenty seconds of chaos over whole programs. test/chaos/run-chaos.ts (npm run chaos) runs as long as requested.
import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { askTestServers } from '../support/test-servers.ts';
import { runChaos } from './run.ts';

it('every promise is kept while programs, servers and networks fail', async () => {
  const seed = Number(process.env.CHAOS_SEED ?? startingSeed());
  console.log(`CHAOS_SEED=${seed}`);
  const lines: string[] = [];
  const { faults, lines: figures } = await runChaos({
    ...{ source: await askTestServers('source'), seed, seconds: 5, pauseMsMax: 700, recoveryMs: 10_000 },
    ...{ proxies: 2, sidecars: 1, controlPlanes: 1, callers: 2, failover: false, disk: true },
    log: (line) => lines.push(line),
  });
  console.log([...lines, ...figures].join('\n'));
  expect(faults).toEqual([]);
}, 900_000);
