// The thread in which hostile tenants carry out one attack until it is requested to stop; then it reports their
// outcomes. In reality hostile tenants and their providers run on other machines, so here they only get the processor
// time that the gateway and its neighbour leave. A thread starts for each attack, so what it imports must not import the
// gateway itself.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { elsewhere, type HostileTenant, type Ports } from './attack.ts';
import { type AttackName, attacks } from './attacks.ts';

export interface AttackerData {
  readonly name: AttackName;
  readonly ports: Ports;
  readonly tenants: readonly HostileTenant[];
}

/** The number of calls by outcome. */
export type Outcomes = Readonly<Record<string, number>>;

/** The time that a call needs to end once its signal is aborted. */
const endMs = 5_000;

async function attack({ name, ports, tenants }: AttackerData): Promise<void> {
  const stopping = new AbortController();
  const outcomes: Record<string, number> = {};
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const { signal } = stopping;
  const running = tenants.map((tenant) =>
    attacks[name].run({ ...tenant, ports, signal, tenants: tenants.length, count }),
  );
  parentPort?.postMessage('begun');
  const all = Promise.all(running);
  const failed = all.then(
    () => undefined,
    (error: unknown) => count(`defect: ${String(error)}`),
  );
  parentPort?.once('message', async () => {
    stopping.abort();
    const timer = setTimeout(() => parentPort?.postMessage(outcomes satisfies Outcomes), endMs);
    await failed;
    clearTimeout(timer);
    parentPort?.postMessage(outcomes satisfies Outcomes);
  });
}

setPriority(elsewhere);
await attack(workerData as AttackerData);
