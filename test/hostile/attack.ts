// What a hostile tenant does to one resource: made ready beside the gateway, carried out in a thread of its own (attacker.ts), so that it
// shares its event loop with nobody who is measured. It is to exhaust its resource, not the processor: how much it asks for is bounded.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, call, type Door } from './calls.ts';
import type { WorkName } from './neighbour.ts';
import type { Resource } from './resources.ts';
import type { Tenant } from './world.ts';

export interface Attack {
  readonly resource: Resource;
  readonly about: string;
  /** What its neighbours need of the same resource. */
  readonly neighbour: WorkName;
  /** How it is seen that the resource was exhausted: a hostile tenant was refused, or some of it was in use. Default: refused. */
  readonly seen?: 'refused' | 'used';
  /** Of a hostile tenant, before it begins; what it makes is given to the thread. */
  prepare?(tenant: Tenant): Promise<Prepared>;
  /** Ends when its signal says so. */
  run(hostile: Hostile): Promise<void>;
}

/** The priority of what is on other machines in life: of a process, or on Linux of a thread. */
export const elsewhere = 10;

export type Prepared = Readonly<Record<string, string>>;

/** A hostile tenant, as its thread knows it. */
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
  /** So many hostile tenants there are. */
  readonly tenants: number;
  count(outcome: string): void;
}

/**
 * What one of them has to ask for to be refused: k greedy ones may have alpha·C / (1 + k·alpha) each (common/shares.ts), and somewhat more is
 * asked for. So all together ask for no more than there is, and a bit.
 */
export function tooMany({ tenants }: Hostile, capacity: number, alpha: number): number {
  return Math.ceil((1.25 * alpha * capacity) / (1 + tenants * alpha)) + 1;
}

/** So many loops are divided among the hostile tenants. */
export function divided({ tenants }: Hostile, loops: number): number {
  return Math.ceil(loops / tenants);
}

/** Calls again and again, each of so many loops no more often than this, until the attack is over. */
export async function keepCalling(
  hostile: Hostile,
  { loops, everyMs }: { readonly loops: number; readonly everyMs: number },
  once: (round: number) => Promise<string>,
): Promise<void> {
  const { signal, count } = hostile;
  let round = 0;
  const loop = async (index: number) => {
    // Not all in one moment.
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

/** So many calls in one moment, again and again, no more often than this. */
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

/** At the proxy, with the tenant's key. */
export function atProxy(hostile: Hostile, sent: Omit<Call, 'key' | 'signal'>): Promise<string> {
  const { key, signal } = hostile;
  return call(proxyDoor(hostile), { key, signal, ...sent });
}

export function proxyDoor({ ports, address }: Hostile): Door {
  return { port: ports.proxy, address };
}

/** At the control plane, as the tenant's owner. */
export function operate(hostile: Hostile, method: string, request: object): Promise<string> {
  const { address, ownerToken, ports, signal } = hostile;
  const path = `/gateway.v1.${method}`;
  const body = JSON.stringify(request);
  return call({ port: ports.controlPlane, address }, { path, key: ownerToken, body, signal });
}
