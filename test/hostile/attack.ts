// An attack of a hostile tenant on one resource. It is prepared beside the gateway and runs in its own thread
// (attacker.ts), so that it shares no event loop with a measured program. It exhausts its resource and not the
// processor, so its rate of calls is bounded.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, call, type Listener } from './calls.ts';
import type { WorkName } from './neighbour.ts';
import type { Resource } from './resources.ts';
import type { Tenant } from './world.ts';

export interface Attack {
  readonly resource: Resource;
  readonly about: string;
  /** The work of the neighbour that needs the same resource. */
  readonly neighbour: WorkName;
  /**
   * The sign that the resource was exhausted: a hostile tenant was refused, or some of it was in use. Default: refused.
   */
  readonly seen?: 'refused' | 'used';
  /** Runs for each hostile tenant before the attack; its result is passed to the thread. */
  prepare?(tenant: Tenant): Promise<Prepared>;
  /** Ends when its signal is aborted. */
  run(hostile: Hostile): Promise<void>;
}

/** The priority of a process, or on Linux of a thread, that would run on another machine in reality. */
export const elsewhere = 10;

export type Prepared = Readonly<Record<string, string>>;

/** A hostile tenant as its thread sees it. */
export interface HostileTenant {
  readonly key: string;
  readonly address: string;
  readonly organizationId: string;
  readonly ownerToken: string;
  readonly prepared: Prepared;
}

export interface Ports {
  readonly proxy: number;
  readonly controlPlane: number;
}

export interface Hostile extends HostileTenant {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** The number of hostile tenants. */
  readonly tenants: number;
  count(outcome: string): void;
}

/**
 * Returns how much each hostile tenant has to request to be refused. Each of k greedy tenants can get alpha·C / (1 +
 * k·alpha) (common/shares.ts), and each requests somewhat more. So together they request just a bit more than there is.
 */
export function tooMany({ tenants }: Hostile, capacity: number, alpha: number): number {
  return Math.ceil((1.25 * alpha * capacity) / (1 + tenants * alpha)) + 1;
}

/** Divides the loops among the hostile tenants. */
export function divided({ tenants }: Hostile, loops: number): number {
  return Math.ceil(loops / tenants);
}

/** Calls in several loops until the attack is over, each loop at most once in everyMs. */
export async function keepCalling(
  hostile: Hostile,
  { loops, everyMs }: { readonly loops: number; readonly everyMs: number },
  once: (round: number) => Promise<string>,
): Promise<void> {
  const { signal, count } = hostile;
  let round = 0;
  const loop = async (index: number) => {
    // Start the loops at different times.
    await pause((everyMs * index) / loops, signal);
    while (!signal.aborted) {
      const at = performance.now();
      const outcome = await once(round++);
      if (!signal.aborted) count(outcome);
      await pause(at + everyMs - performance.now(), signal);
    }
  };
  await Promise.all(Array.from({ length: loops }, (_, index) => loop(index)));
}

/** Makes a number of simultaneous calls, at most once in everyMs, until the attack is over. */
export async function keepCrowding(
  hostile: Hostile,
  { crowd, everyMs }: { readonly crowd: number; readonly everyMs: number },
  once: () => Promise<string>,
): Promise<void> {
  const { signal, count } = hostile;
  const counted = async () => {
    const outcome = await once();
    if (!signal.aborted) count(outcome);
  };
  while (!signal.aborted) {
    const at = performance.now();
    await Promise.all(Array.from({ length: crowd }, counted));
    await pause(at + everyMs - performance.now(), signal);
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Calls the proxy with the tenant's key. */
export function atProxy(hostile: Hostile, sent: Omit<Call, 'key' | 'signal'>): Promise<string> {
  const { key, signal } = hostile;
  return call(proxyListener(hostile), { key, signal, ...sent });
}

export function proxyListener({ ports, address }: Hostile): Listener {
  return { port: ports.proxy, address };
}

/** Calls the control plane as the tenant's owner. */
export function operate(hostile: Hostile, method: string, request: object): Promise<string> {
  const { address, ownerToken, ports, signal } = hostile;
  const path = `/gateway.v1.${method}`;
  const body = JSON.stringify(request);
  return call({ port: ports.controlPlane, address }, { path, key: ownerToken, body, signal });
}
