// The tenant that only does its work while others are hostile: a literal table of its work. Each kind is called at a
// steady rate whether or not the last response has come, so that late responses are noticed.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../support/figures.ts';
import { guardrailFields } from '../support/guardrails/fixture.ts';
import { call, chatBody, chatPath, type Listener } from './calls.ts';
import type { Tenant, World } from './world.ts';

export interface Neighbour {
  readonly world: World;
  readonly tenant: Tenant;
  /** Another organization, whose texts are inspected. */
  readonly guarded: Tenant;
  readonly listeners: { readonly proxy: Listener; readonly controlPlane: Listener };
  /** A key that it has not used yet, created beforehand. */
  nextKey(): { readonly id: string; readonly value: string };
  makeKeys(count: number): Promise<void>;
}

export interface Work {
  readonly about: string;
  readonly everyMs: number;
  /** Each call needs a new key. */
  readonly needsKeys?: true;
  /** @returns "200" when everything was as expected */
  once(neighbour: Neighbour): Promise<string>;
}

const words = 'a clean sentence of plain words, as prompts have. ';
const short = words.repeat(160);
const long = words.repeat(4_000);
const body300k = words.repeat(6_000);

const chat = ({ listeners, tenant }: Neighbour, body: string, agent?: Agent | false) =>
  call(listeners.proxy, { path: chatPath, key: tenant.key, body, ...(agent !== undefined && { agent }) });

const operate = ({ listeners, tenant }: Neighbour, method: string, request: object) =>
  call(listeners.controlPlane, {
    path: `/gateway.v1.${method}`,
    key: tenant.organization.ownerToken,
    body: JSON.stringify(request),
  });

export const works = {
  chats: { about: 'small chats', everyMs: 25, once: (of) => chat(of, chatBody('gpt-provider')) },
  chats_on_new_connections: {
    about: 'small chats, each on a connection of its own',
    everyMs: 25,
    once: (of) => chat(of, chatBody('gpt-provider'), new Agent({ keepAlive: false })),
  },
  chats_at_new_names: {
    about: 'small chats at a provider of its own that is reached by name, on a new connection each',
    everyMs: 25,
    once: (of) => chat(of, chatBody('closing')),
  },
  chats_with_new_keys: {
    about: 'small chats, each with a key that the proxy has never seen',
    everyMs: 100,
    needsKeys: true,
    once: async (of) => {
      const key = of.nextKey().value;
      return call(of.listeners.proxy, { path: chatPath, key, body: chatBody('gpt-provider') });
    },
  },
  chats_of_300_kb: {
    about: 'chats of 300 kB',
    everyMs: 100,
    once: (of) => chat(of, chatBody('gpt-provider', body300k)),
  },
  inspected_chats: {
    about: 'chats of 8,000 characters that are inspected',
    everyMs: 50,
    once: ({ listeners, guarded }) =>
      call(listeners.proxy, { path: chatPath, key: guarded.key, body: chatBody('gpt-provider', short) }),
  },
  long_inspected_chats: {
    about: 'chats of 200,000 characters that are inspected, in a worker',
    everyMs: 200,
    once: ({ listeners, guarded }) =>
      call(listeners.proxy, { path: chatPath, key: guarded.key, body: chatBody('gpt-provider', long) }),
  },
  revocations: {
    about: 'revocations of keys',
    everyMs: 150,
    needsKeys: true,
    once: (of) => operate(of, 'VirtualKeys/Revoke', { id: of.nextKey().id }),
  },
  lists: {
    about: 'lists of keys',
    everyMs: 40,
    once: (of) => operate(of, 'AiSystems/List', { organizationId: of.tenant.organization.id }),
  },
} as const satisfies Record<string, Work>;

export type WorkName = keyof typeof works;

export interface Figures {
  readonly requested: number;
  readonly succeeded: number;
  /** The number of other results, by outcome. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function startNeighbour(world: World): Promise<Neighbour> {
  const tenant = await world.createTenant('neighbour');
  const guarded = await world.createTenant('guarded');
  const { api, id: organizationId } = guarded.organization;
  const checks = [{ personalData: {} }, { words: { phrases: ['forbidden'] } }];
  for (const [index, check] of checks.entries()) {
    const fields = guardrailFields(['input', 'block'], check);
    await api.call('Guardrails/Create', { organizationId, name: `guard-${index}`, ...fields });
  }
  const keys: { readonly id: string; readonly value: string }[] = [];
  const { address } = tenant;
  return {
    ...{ world, tenant, guarded },
    listeners: {
      proxy: { port: world.proxy.port, address },
      controlPlane: { port: world.controlPlane.httpPort, address },
    },
    nextKey: () => {
      const key = keys.pop();
      if (key === undefined) throw new Error('more keys were needed than were made');
      return key;
    },
    makeKeys: async (count) => {
      while (keys.length < count) keys.push(await tenant.organization.createKey());
    },
  };
}

/** Starts no further call while this many are in progress, so that a stalled machine gets no extra load. */
const underWayMax = 8;

/** Does its work for a given time, and waits for the calls that it started. */
export async function workFor(neighbour: Neighbour, name: WorkName, ms: number): Promise<Figures> {
  const work: Work = works[name];
  const count = Math.ceil(ms / work.everyMs);
  if (work.needsKeys) await neighbour.makeKeys(count);
  const begun = performance.now();
  const pending: Promise<{ readonly outcome: string; readonly ms: number }>[] = [];
  const underWay = new Set<Promise<unknown>>();
  for (let index = 0; index < count && performance.now() < begun + 2 * ms; index++) {
    const due = begun + index * work.everyMs;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    while (underWay.size >= underWayMax) await Promise.race(underWay);
    const at = performance.now();
    const one = work.once(neighbour).then((outcome) => ({ outcome, ms: performance.now() - at }));
    pending.push(one);
    underWay.add(one);
    void one.then(() => underWay.delete(one));
  }
  const all = await Promise.all(pending);
  const failures: Record<string, number> = {};
  for (const { outcome } of all) if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1;
  const times = all.map((one) => one.ms);
  return {
    requested: all.length,
    succeeded: all.filter(({ outcome }) => outcome === '200').length,
    failures,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
