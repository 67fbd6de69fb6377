// What the console costs a control plane while nobody looks: the resident memory of the shipped program with the console
// and without it, in alternation, each after a collection of its garbage.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, parseJson } from '../../common/json.ts';
import { createSealKey } from '../../common/seal.ts';
import { spread } from '../../test/bench/stats.ts';
import { programOf, startFrom, startPlane } from '../../test/support/gateway.ts';
import { until } from '../../test/support/process.ts';
import { createRetained } from '../../test/support/retained.ts';
import { buildPrograms } from '../build.ts';

const pairs = 5;
const settleMs = 3000;

export interface ConsoleMemory {
  /** MiB resident: medians. */
  readonly on: number;
  readonly off: number;
  /** The median of the differences of pairs. */
  readonly cost: number;
}

export async function measureMemory(): Promise<ConsoleMemory> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-console-memory-'));
  try {
    await buildPrograms(folder, ['control-plane']);
    startFrom(folder);
    await programOf('control-plane/main.ts');
    const measured: { readonly on: number; readonly off: number }[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const isOnFirst = pair % 2 === 0;
      const first = await residentMiB(isOnFirst ? 'on' : 'off');
      const second = await residentMiB(isOnFirst ? 'off' : 'on');
      measured.push(isOnFirst ? { on: first, off: second } : { on: second, off: first });
    }
    return {
      on: spread(measured.map(({ on }) => on)).median,
      off: spread(measured.map(({ off }) => off)).median,
      cost: spread(measured.map(({ on, off }) => on - off)).median,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function residentMiB(console: 'on' | 'off'): Promise<number> {
  const retained = createRetained();
  const env = {
    ...{ GATEWAY_GRPC_LISTEN: '127.0.0.1:0', GATEWAY_HTTP_LISTEN: '127.0.0.1:0', GATEWAY_ADMIN_LISTEN: '127.0.0.1:0' },
    ...{ GATEWAY_DATABASE_URL: 'sqlite::memory:', GATEWAY_MASTER_KEY: createSealKey(), GATEWAY_CONSOLE: console },
    ...retained.environment,
  };
  const { child } = await startPlane('control-plane/main.ts', env, retained.options);
  try {
    await sleep(settleMs);
    await retained.measure(child);
    const file = retained.environment.RETAINED_FILE ?? '';
    const memory = parseJson(await until(() => readFileSync(file, 'utf8'), { what: 'the measured memory' }));
    if (!isObject(memory) || typeof memory.rss !== 'number') throw new Error('the program wrote no resident memory');
    return memory.rss / 2 ** 20;
  } finally {
    await child.stop();
    retained.remove();
  }
}
