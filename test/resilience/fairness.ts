// One key wants ten times what the gateway can have in flight: what another key of its organization notices, and what
// another organization does.
import type { ServerSource } from '../support/containers.ts';
import { percentile } from '../support/figures.ts';
import { startedWith, startNode, until } from '../support/process.ts';
import type { NamedCall } from './accounts.ts';
import type { Greed } from './greedy.ts';
import { load, tallyOf } from './load.ts';
import type { Report } from './outage.ts';
import { contentOf } from './plan.ts';
import { models } from './prices.ts';
import { type Program, startWorld, type World } from './world.ts';

export interface FairnessOptions {
  readonly seconds: number;
  readonly quietSeconds: number;
  /** Requests a second of each of the two callers that only do their work. */
  readonly rate: number;
  /** How many times the capacity the greedy key wants. */
  readonly greed: number;
  readonly source?: ServerSource;
}

const inFlightMax = 256;
/** A response takes so long, so all slots together can serve 32 requests a second. */
const responseMs = 8_000;
const capacity = (inFlightMax * 1_000) / responseMs;

export interface FairnessFigures {
  readonly sibling: Noticed;
  readonly other: Noticed;
}

/** What a caller notices. */
export interface Noticed {
  readonly served: number;
  readonly quietP99Ms: number;
  readonly p99Ms: number;
}

interface Callers {
  /** Another key of the greedy key's organization. */
  readonly sibling: string;
  /** A key of another organization. */
  readonly other: string;
}

export async function runFairness(options: FairnessOptions): Promise<Report> {
  const { seconds, quietSeconds, greed, source } = options;
  const world = await startWorld(source);
  try {
    // The usual share of an organization.
    const proxy = await world.startProxy({
      GATEWAY_IN_FLIGHT_MAX: String(inFlightMax),
      GATEWAY_ORGANIZATION_SHARE: '25',
    });
    const [greedy, other] = [await world.createTenant('greedy'), await world.createTenant('other')];
    const key = (await greedy.organization.createKey()).value;
    const callers: Callers = {
      sibling: (await greedy.organization.createKey()).value,
      other: (await other.organization.createKey()).value,
    };
    await work(proxy, callers, { ...options, prefix: 'warm', ms: 2_000 });
    const quiet = await work(proxy, callers, { ...options, prefix: 'quiet', ms: quietSeconds * 1_000 });
    const ms = seconds * 1_000;
    const plan = { words: 10, prompt: 10, completion: 20, headDelayMs: responseMs };
    const body = JSON.stringify({
      ...{ model: models['gpt-provider'], max_tokens: 1_000 },
      messages: [{ role: 'user', content: contentOf(plan) }],
    });
    const greediness = { port: proxy.ports.port ?? 0, key, body, perSecond: greed * capacity, ms: ms + 1_000 };
    const counts = startGreedy(world, greediness);
    await counts.begun;
    const during = await work(proxy, callers, { ...options, prefix: 'during', ms });
    const figures = {
      sibling: noticed(quiet.sibling, during.sibling),
      other: noticed(quiet.other, during.other),
    };
    return { lines: linesOf(figures, during, await counts.over), faults: faultsOfFairness(figures) };
  } finally {
    await world.close();
  }
}

type Work = Readonly<Record<keyof Callers, readonly NamedCall[]>>;

async function work(
  proxy: Program,
  { sibling, other }: Callers,
  { rate, prefix, ms }: FairnessOptions & { readonly prefix: string; readonly ms: number },
): Promise<Work> {
  const put = (key: string, name: string) =>
    load({
      ...{ url: proxy.url, key, model: models['gpt-provider'], perSecond: rate, ms, prefix: `${prefix}-${name}` },
      plan: () => ({ words: 10, prompt: 10, completion: 20 }),
    });
  const [ofSibling, ofOther] = await Promise.all([put(sibling, 'sibling'), put(other, 'other')]);
  return { sibling: ofSibling, other: ofOther };
}

function startGreedy(world: World, greed: Greed) {
  const child = startNode(['test/resilience/greedy.ts', JSON.stringify(greed)]);
  world.onClose(() => child.stop('SIGKILL'));
  const over = until(() => /^.*"msg":"over".*$/m.exec(child.stdout())?.[0], {
    timeoutMs: greed.ms + 120_000,
    what: 'the greedy caller to end',
  });
  over.catch(() => undefined);
  return {
    begun: startedWith(child),
    over: over.then((line) => (JSON.parse(line) as { readonly counts: Readonly<Record<string, number>> }).counts),
  };
}

function noticed(quiet: readonly NamedCall[], during: readonly NamedCall[]): Noticed {
  const times = (calls: readonly NamedCall[]) => calls.map(({ reading }) => reading.ms);
  return {
    served: during.filter(({ reading }) => reading.outcome === '200').length / during.length,
    quietP99Ms: percentile(times(quiet), 0.99),
    p99Ms: percentile(times(during), 0.99),
  };
}

const boundMs = ({ quietP99Ms }: Noticed) => 2 * quietP99Ms + 10;

/** What is worse than promised. */
export function faultsOfFairness({ sibling, other }: FairnessFigures): readonly string[] {
  const faults: string[] = [];
  if (!(sibling.served >= 0.99)) faults.push(`only ${percent(sibling.served)} of the other key were served`);
  if (!(other.served >= 0.999)) faults.push(`only ${percent(other.served)} of the other organization were served`);
  for (const [name, one] of Object.entries({ sibling, other }))
    if (!(one.p99Ms <= boundMs(one))) faults.push(`p99 of ${name} is ${one.p99Ms.toFixed(1)} ms`);
  return faults;
}

function linesOf(
  { sibling, other }: FairnessFigures,
  during: Work,
  greedy: Readonly<Record<string, number>>,
): readonly string[] {
  const line = (name: string, one: Noticed, calls: readonly NamedCall[]) =>
    `${name}: ${calls.length} requests ${JSON.stringify(tallyOf(calls.map(({ reading }) => reading)))}, served ${percent(one.served)}, ` +
    `p99 ${one.quietP99Ms.toFixed(1)} → ${one.p99Ms.toFixed(1)} ms (promised: ${boundMs(one).toFixed(1)})`;
  return [
    `the greedy key: ${JSON.stringify(greedy)}`,
    line('another key of its organization (promised: 99 %)', sibling, during.sibling),
    line('another organization (promised: 99.9 %)', other, during.other),
  ];
}

function percent(part: number): string {
  return `${(100 * part).toFixed(2)} %`;
}
