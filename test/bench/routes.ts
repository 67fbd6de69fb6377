// The cost of routes: one proxy, called in turn by the name of a model and by that of a route that leads to it; and what
// a second attempt adds to a request whose first one fails.
//
// The calls rest between requests. The control plane shares its core with the load, and a proxy that is called as fast
// as it responds makes more usage than that control plane takes: it then measures how the proxy keeps usage.
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { canned } from './canned.ts';
import { type Failover, failoverRoutes, type GatewaySubject } from './gateway.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { chatBody, chatPath, checkBodies, type LoadOptions, type Measurement, putUnderLoad } from './load.ts';
import { passes } from './passes.ts';
import { rotated, type Spread, spread, spreads } from './stats.ts';

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
/** About a thousand requests a second. */
const pauseMs = 60;
/** Turns of each callee in a pass. */
const turns = 6;
const bodyBytes = 1024;
/** Fewer than an organization may have further attempts in ten seconds. */
const requests = 25;

export async function measureRoutes(options: GuardrailsOptions): Promise<RoutesResult> {
  const name = `routes: chat, body 1 KiB, ${connections} connections`;
  console.error(name);
  const key = await options.gateway.createRoutedKey();
  const measured: Record<Callee, Measurement[]> = { model: [], route: [] };
  const failover: Record<Failover, number[]> = { served: [], failed: [], after: [] };
  for (let pass = 0; pass < passes; pass++) {
    const subject = await options.gateway.startProxy(key);
    try {
      const inTurn = await measureInTurn(subject, options);
      for (const callee of ['model', 'route'] as const) measured[callee].push(inTurn[callee]);
      const medians = await failoverMs(subject);
      for (const what of failoverRoutes) failover[what].push(medians[what]);
      const ratio = inTurn.route.cpuMicroseconds / inTurn.model.cpuMicroseconds;
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

/** Both in one process, because two processes compile the same code differently. */
async function measureInTurn(
  subject: GatewaySubject,
  { cores, directory, seconds, warmUpSeconds }: GuardrailsOptions,
): Promise<Readonly<Record<Callee, Measurement>>> {
  const loads = Object.fromEntries(
    Object.entries(models).map(([callee, model]) => {
      const bodyFile = join(directory, `routes-${callee}.json`);
      writeFileSync(bodyFile, chatBody(model, bodyBytes));
      return [callee, { core: cores.load, connections, bodyFile, seconds, pauseMs }];
    }),
  ) as Readonly<Record<Callee, LoadOptions>>;
  for (const callee of ['model', 'route'] as const) {
    await checkBodies(subject, chatBody(models[callee], bodyBytes));
    await putUnderLoad(subject, { ...loads[callee], seconds: warmUpSeconds });
  }
  const measured: Record<Callee, Measurement[]> = { model: [], route: [] };
  for (let turn = 0; turn < turns; turn++) {
    // What one leaves to be done counts for the other, so the order changes.
    for (const callee of rotated(['model', 'route'] as const, turn)) {
      measured[callee].push(await putUnderLoad(subject, loads[callee]));
    }
  }
  return { model: meanOf(measured.model), route: meanOf(measured.route) };
}

/** All of them took equally long and had equally many requests. */
function meanOf(measurements: readonly Measurement[]): Measurement {
  const mean = (field: keyof Measurement) =>
    measurements.reduce((sum, measurement) => sum + measurement[field], 0) / measurements.length;
  const fields = Object.keys(measurements[0] ?? {}) as (keyof Measurement)[];
  return Object.fromEntries(fields.map((field) => [field, mean(field)])) as unknown as Measurement;
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
