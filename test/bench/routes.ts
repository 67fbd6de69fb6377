// The cost of routes: the gateway alone, called by the name of a model and by that of a route that leads to it, in the
// same passes; and what a second attempt adds to a request whose first one fails.
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { canned } from './canned.ts';
import { type Failover, failoverRoutes, type GatewaySubject } from './gateway.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { chatBody, chatPath, type Measurement, measureWarm } from './load.ts';
import { inPasses } from './passes.ts';
import { type Spread, spread } from './stats.ts';
import type { SubjectStarter } from './subjects.ts';

export interface RoutesResult {
  readonly name: string;
  /** By the names of callees. */
  readonly subjects: Readonly<Record<string, Record<keyof Measurement, Spread>>>;
  /** Milliseconds of one request at a time, by what it is: its median in each pass. */
  readonly failover: Readonly<Record<Failover, Spread>>;
}

export const callees = { model: 'a model', route: 'a route of one target' } as const;

interface CalledSubject extends GatewaySubject {
  readonly model: string;
}

const connections = 32;
const bodyBytes = 1024;
/** Fewer than an organization may have further attempts in ten seconds. */
const requests = 25;

export async function measureRoutes(options: GuardrailsOptions): Promise<RoutesResult> {
  const { gateway, cores, directory, seconds, warmUpSeconds } = options;
  const key = await gateway.createRoutedKey();
  const starter = (name: string, model: string): SubjectStarter<CalledSubject> => ({
    name,
    start: async () => ({ ...(await gateway.startProxy(key)), model }),
  });
  const starters = [starter(callees.model, canned['gpt-provider'].model), starter(callees.route, 'served')];
  const failover: Record<Failover, number[]> = { served: [], failed: [], after: [] };
  const name = `routes: chat, body 1 KiB, ${connections} connections`;
  const subjects = await inPasses(name, starters, async (subject) => {
    const body = chatBody(subject.model, bodyBytes);
    const bodyFile = join(directory, 'routes.json');
    writeFileSync(bodyFile, body);
    const load = { core: cores.load, connections, bodyFile, body, seconds, warmUpSeconds };
    const measurement = await measureWarm(subject, load);
    if (subject.model === 'served') {
      const medians = await failoverMs(subject);
      for (const what of failoverRoutes) failover[what].push(medians[what]);
    }
    return measurement;
  });
  const { served, failed, after } = failover;
  return { name, subjects, failover: { served: spread(served), failed: spread(failed), after: spread(after) } };
}

/** Medians, of requests one after the other. */
async function failoverMs(subject: GatewaySubject): Promise<Readonly<Record<Failover, number>>> {
  const agent = new Agent({ keepAlive: true });
  const times: Record<Failover, number[]> = { served: [], failed: [], after: [] };
  for (let round = 0; round < requests; round++) {
    for (const route of failoverRoutes) times[route].push(await timeOf(subject, route, agent));
  }
  agent.destroy();
  const median = (values: readonly number[]) => spread(values).median;
  return { served: median(times.served), failed: median(times.failed), after: median(times.after) };
}

async function timeOf({ port, headers }: GatewaySubject, route: Failover, agent: Agent): Promise<number> {
  const startedAt = performance.now();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, path: chatPath, method: 'POST', headers };
    const sent = request(options, (response) => {
      readText(response).then(() => resolve(response.statusCode), reject);
    });
    sent.once('error', reject);
    sent.end(chatBody(route, bodyBytes));
  });
  const expected = route === 'failed' ? 404 : 200;
  if (status !== expected) throw new Error(`${route} returned ${status}`);
  return performance.now() - startedAt;
}
