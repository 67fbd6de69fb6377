// A caller that wants far more than there is, as a process of its own; as on another machine, it leaves the processor to
// others. Started by fairness.ts: node test/resilience/greedy.ts '{"port":…}'
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, chatPath } from '../hostile/calls.ts';

export interface Greed {
  readonly port: number;
  readonly key: string;
  readonly body: string;
  readonly perSecond: number;
  readonly ms: number;
}

const elsewhere = 10;
const tickMs = 20;

async function start({ port, key, body, perSecond, ms }: Greed): Promise<void> {
  setPriority(elsewhere);
  const counts: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  console.log(JSON.stringify({ msg: 'ready' }));
  const begun = performance.now();
  for (let sent = 0, at = begun; at < begun + ms; at = performance.now()) {
    for (; sent < ((at - begun) / 1_000) * perSecond; sent++) {
      const one: Promise<void> = call({ port, address: '127.0.0.1' }, { path: chatPath, key, body }).then((outcome) => {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        underWay.delete(one);
      });
      underWay.add(one);
    }
    await sleep(tickMs);
  }
  await Promise.all(underWay);
  console.log(JSON.stringify({ msg: 'over', counts }));
}

if (process.argv[1] === import.meta.filename) await start(JSON.parse(process.argv[2] ?? '') as Greed);
