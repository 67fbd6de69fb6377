// Callers that continue through all failures and record their results.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour } from '../../simulator/index.ts';
import { Random } from '../support/access/random.ts';
import { namedRequest, type UsageReport } from '../support/recorder.ts';
import { type Outcome, spend } from '../support/spending.ts';
import { taggedRequest } from '../support/tagged-usage.ts';
import type { ProxySeat, Run } from './ledger.programs.ts';
import type { Payer, World } from './ledger.world.ts';

export interface Call {
  /** Its request id. */
  readonly name: string;
  readonly payer: Payer;
  /** The run of the proxy that received the call. */
  readonly run: Run;
  /** The usage that the vendor reports if it is called; null when it reports none. */
  readonly reported: UsageReport | null;
  readonly outcome: Outcome;
  /** By performance.now(). */
  readonly endedAt: number;
}

export interface Calling {
  /** All calls that have ended. */
  readonly calls: readonly Call[];
  /** Starts no further calls; resolves when those in progress have ended. */
  stop(): Promise<void>;
}

export function startCallers(
  world: Pick<World, 'payers' | 'proxies'>,
  { callers, seed }: { readonly callers: number; readonly seed: number },
): Calling {
  const calls: Call[] = [];
  let stopped = false;
  const callOn = async (number: number) => {
    const random = new Random(seed * 1_000 + number);
    for (let count = 1; !stopped; count++) {
      const proxy = random.pick(world.proxies);
      const payer = random.pick(world.payers);
      // A caller that finds a proxy down tries another one.
      if (proxy.run !== undefined) calls.push(await call(`${seed}-${number}-${count}`, payer, proxy, random));
      await sleep(random.between(10, 150));
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

async function call(name: string, payer: Payer, proxy: ProxySeat, random: Random): Promise<Call> {
  const { run } = proxy;
  if (run === undefined) throw new Error('the proxy is down');
  const manner = mannerOf(random);
  const counted = { promptTokens: 1 + random.below(60), completionTokens: 1 + random.below(100) };
  const reported = manner.unreported ? null : counted;
  const { headers, fields } = taggedRequest(name);
  const outcome = await spend({
    ...{ url: proxy.url, key: payer.key, requestId: name, headers },
    ...(manner.leavesAfterMs !== undefined && { leavesAfterMs: manner.leavesAfterMs }),
    fields: { ...fields, stream: manner.stream, ...namedRequest(name, reported, manner.behaviour) },
  });
  return { name, payer, run, reported, outcome, endedAt: performance.now() };
}

interface Manner {
  readonly stream: boolean;
  readonly behaviour: Behaviour;
  readonly leavesAfterMs?: number;
  /** The vendor does not report the usage. */
  readonly unreported?: boolean;
}

function mannerOf(random: Random): Manner {
  const dice = random.next();
  const slow = { headDelayMs: random.below(150) };
  const flowing = { pieceDelayMs: 1 + random.below(15) };
  if (dice < 0.4) return { stream: false, behaviour: slow };
  if (dice < 0.72) return { stream: true, behaviour: flowing };
  if (dice < 0.86) {
    const stream = random.chance(0.5);
    const behaviour = stream ? { pieceDelayMs: 30 } : { headDelayMs: 300 };
    return { stream, behaviour, leavesAfterMs: random.below(300) };
  }
  if (dice < 0.91) return { stream: false, behaviour: { status: random.pick([400, 429, 500, 503]) } };
  if (dice < 0.95) return { stream: true, behaviour: { stop: { by: 'cut', afterPieces: 4 } } };
  return { stream: random.chance(0.5), behaviour: {}, unreported: true };
}
