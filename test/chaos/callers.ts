// The traffic of a chaos run: callers in two formats and both forms, some of whom leave, some of whose vendors cut the
// stream; and an operator who revokes keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { call as operate } from '../hostile/calls.ts';
import { call, forms } from '../resilience/clients.ts';
import type { CallPlan } from '../resilience/plan.ts';
import type { Tenant } from '../resilience/world.ts';
import { Random } from '../support/access/random.ts';
import { createBudget } from '../support/spending.ts';
import type { ChaosCall, Revocation } from './verifier.ts';
import type { ChaosWorld } from './world.ts';

export interface Payers {
  readonly rich: string;
  /** Its budget is soon spent. */
  readonly small: string;
}

export async function createPayers({ organization }: Tenant): Promise<Payers> {
  const [rich, small] = [await organization.createKey(), await organization.createKey()];
  await createBudget(organization, { kind: 'VIRTUAL_KEY', id: rich.id }, { amountUsd: '1000', period: 'TOTAL' });
  await createBudget(organization, { kind: 'VIRTUAL_KEY', id: small.id }, { amountUsd: '1', period: 'TOTAL' });
  return { rich: rich.value, small: small.value };
}

/** Budgets of every kind that count the same calls and are never spent. @returns their ids by what they are of; of a kind one at least counts something */
export async function createFurtherBudgets({
  tenant: { organization },
  platform,
}: Pick<ChaosWorld, 'tenant' | 'platform'>): Promise<Readonly<Record<string, readonly string[]>>> {
  const never = { amountUsd: '100000', period: 'TOTAL' };
  const all = { kind: 'ORGANIZATION', id: organization.id } as const;
  const { providerKeys } = await organization.api.call('ProviderKeys/List', { organizationId: organization.id });
  const ofKeys: string[] = [];
  for (const { id } of providerKeys as readonly { readonly id: string }[])
    ofKeys.push(await createBudget(organization, { kind: 'PROVIDER_KEY', id }, never));
  const { kind, period } = { kind: 'LIMIT_KIND_BUDGET', period: 'BUDGET_PERIOD_TOTAL' };
  const ofPlatform = await platform.call('Limits/Create', { kind, period, amountUsd: never.amountUsd });
  return {
    // The second is for calls that the first vendor failed.
    'the provider keys': ofKeys,
    'each key': [await createBudget(organization, all, { ...never, each: 'key' })],
    'stored provider keys': [await createBudget(organization, all, { ...never, traffic: 'LIMIT_TRAFFIC_STORED' })],
    'the platform': [String(ofPlatform.id)],
  };
}

export interface Traffic {
  readonly calls: readonly ChaosCall[];
  /** Resolves when all have ended. */
  stop(): Promise<void>;
}

interface TrafficOptions {
  readonly callers: number;
  readonly seed: number;
  readonly payers: Payers;
}

export function startTraffic({ entries }: Pick<ChaosWorld, 'entries'>, options: TrafficOptions): Traffic {
  const { callers, seed, payers } = options;
  const calls: ChaosCall[] = [];
  let stopped = false;
  const callOn = async (number: number) => {
    const random = new Random(seed * 1_000 + number);
    for (let count = 1; !stopped; count++) {
      const isSmall = random.chance(0.15);
      const plan = planOf(`${seed}-${number}-${count}`, random);
      const leavesAfterMs = random.chance(0.08) ? random.below(400) : undefined;
      const { name: entry, url } = random.pick(entries);
      const reading = await call({
        ...{ url, key: isSmall ? payers.small : payers.rich, model: 'fast' },
        ...{ form: random.pick(forms), plan },
        ...(leavesAfterMs !== undefined && { leavesAfterMs }),
      });
      // The vendor ends the response early: the caller is to notice.
      const isCut = plan.stop !== undefined && !reading.isWhole;
      calls.push({ name: plan.name, plan, entry, isSmall, reading: isCut ? { ...reading, outcome: 'left' } : reading });
      await sleep(random.between(20, 200));
    }
  };
  const running = Array.from({ length: callers }, (_, index) => callOn(index + 1));
  return {
    calls,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

function planOf(name: string, random: Random): CallPlan & { readonly name: string } {
  const plan = { name, words: 5 + random.below(25), prompt: 1 + random.below(60), completion: 1 + random.below(100) };
  const timed = { headDelayMs: random.below(60), pieceDelayMs: random.chance(0.6) ? 1 + random.below(60) : 0 };
  const stop = { by: random.pick(['cut', 'reset'] as const), afterPieces: 2 + random.below(4) };
  return { ...plan, ...timed, ...(random.chance(0.05) && { stop }) };
}

export interface Revoking {
  readonly revocations: readonly Revocation[];
  stop(): Promise<void>;
}

/** After a revocation the key is tried this often, at all proxies. */
const probesAfterMs = [300, 600, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000];
const everyMs = 1_500;

export function startRevoking({ entries, tenant, operatorPorts }: ChaosWorld, seed: number): Revoking {
  const revocations: Revocation[] = [];
  const probing = new Set<Promise<unknown>>();
  const random = new Random(seed);
  const { organization } = tenant;
  let stopped = false;
  const operating = async (method: string, request: object) => {
    const listener = { port: random.pick(operatorPorts), address: '127.0.0.1' };
    const body = JSON.stringify(request);
    return operate(listener, { path: `/gateway.v1.${method}`, key: organization.ownerToken, body, agent: false });
  };
  const probe = async (proxy: ChaosWorld['entries'][number], key: string) => {
    const plan = { words: 3, prompt: 1, completion: 1 };
    const startedAt = performance.now();
    const { outcome } = await call({ url: proxy.url, key, model: 'fast', form: 'chat', plan });
    return { proxy: proxy.name, startedAt, outcome };
  };
  const probeAll = async (key: string, revocation: { readonly at: number; readonly probes: unknown[] }) => {
    for (const ms of probesAfterMs) {
      await sleep(Math.max(0, revocation.at + ms - performance.now()));
      if (stopped && ms > 2_000) return;
      revocation.probes.push(...(await Promise.all(entries.map((proxy) => probe(proxy, key)))));
    }
  };
  const running = (async () => {
    while (!stopped) {
      await sleep(everyMs);
      const made = await organization.createKey().catch(() => undefined);
      if (made === undefined) continue;
      // So that the proxies have its record.
      await Promise.all(entries.map((proxy) => probe(proxy, made.value)));
      if ((await operating('VirtualKeys/Revoke', { id: made.id })) !== '200') continue;
      const revocation = { key: made.id, at: performance.now(), probes: [] };
      revocations.push(revocation);
      const one: Promise<void> = probeAll(made.value, revocation).then(() => void probing.delete(one));
      probing.add(one);
    }
  })();
  return {
    revocations,
    stop: async () => {
      stopped = true;
      await running;
      await Promise.all(probing);
    },
  };
}
