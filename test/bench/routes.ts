// The cost of routes: one proxy, called in turn by the name of a model and by that of a route that leads to it; and what
// a second attempt adds to a request whose first one fails.
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { canned } from './canned.ts';
import { type Failover, failoverRoutes, type GatewaySubject } from './gateway.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { chatBody, chatPath, checkBodies, type Measurement, pacedMs, putUnderLoad } from './load.ts';
import { inTurns, type Kind, passes } from './passes.ts';
import { type Spread, spread, spreads } from './stats.ts';

export interface RoutesResult {
  readonly name: string;
  /** By the names of callees. */
  readonly subjects: Readonly<Record<string, Record<keyof Measurement, Spread>>>;
  /** Milliseconds of one request at a time, by what it is: its median in each pass. */
  readonly failover: Readonly<Record<Failover, Spread>>;
}

export const callees = { model: 'a model', route: 'a route of one target' } as const;

type Callee = keyof typeof callees;

const models: Readonly<Record<Callee, string>> = { model: canned['gpt-provider'].model, route: 'served' };
const connections = 32;
/** Turns of each callee in a pass. */
const turns = 6;
const bodyBytes = 1024;
/** Fewer than an organization may have further attempts in ten seconds. */
const requests = 25;

export async function measureRoutes(options: GuardrailsOptions): Promise<RoutesResult> {
  const name = `routes: chat, body 1 KiB, ${connections} connections`;
  console.error(name);
  const key = await options.gateway.createRoutedKey();
  const kinds = kindsOf(options);
  const measured: Record<Callee, Measurement[]> = { model: [], route: [] };
  const failover: Record<Failover, number[]> = { served: [], failed: [], after: [] };
  for (let pass = 0; pass < passes; pass++) {
    const subject = await options.gateway.startProxy(key);
    try {
      const { model, route } = await inTurns(subject, kinds, { ...options, turns });
      if (model === undefined || route === undefined) throw new Error('one of them was not measured');
      measured.model.push(model);
      measured.route.push(route);
      const medians = await failoverMs(subject);
      for (const what of failoverRoutes) failover[what].push(medians[what]);
      const ratio = route.cpuMicroseconds / model.cpuMicroseconds;
      console.error(`  pass ${pass + 1} of ${passes}: ${ratio.toFixed(3)} of a model's processor time`);
    } finally {
      await subject.stop();
    }
  }
  const { served, failed, after } = failover;
  return {
    name,
    subjects: { [callees.model]: spreads(measured.model), [callees.route]: spreads(measured.route) },
    failover: { served: spread(served), failed: spread(failed), after: spread(after) },
  };
}

function kindsOf({ cores, directory }: GuardrailsOptions): readonly Kind<GatewaySubject, Measurement>[] {
  return Object.entries(models).map(([name, model]) => {
    const body = chatBody(model, bodyBytes);
    const bodyFile = join(directory, `routes-${name}.json`);
    writeFileSync(bodyFile, body);
    const load = { core: cores.load, connections, bodyFile, pauseMs: pacedMs };
    return {
      name,
      measure: async (subject, seconds) => {
        const measurement = await putUnderLoad(subject, { ...load, seconds });
        await checkBodies(subject, body);
        return measurement;
      },
    };
  });
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
