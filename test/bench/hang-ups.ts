// The cost of reading on: an ordinary load, beside callers whose provider takes two seconds. These callers either wait,
// or leave after a tenth of a second while the proxy reads their responses for the usage. All else is equal.
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { metric } from '../support/telemetry.ts';
import { canned } from './canned.ts';
import type { Cores } from './cores.ts';
import type { BenchGateway, GatewaySubject } from './gateway.ts';
import { chatBody, chatPath, checkBodies, type Measurement, putUnderLoad } from './load.ts';
import { inPasses } from './passes.ts';
import type { Spread } from './stats.ts';

export interface HangUpsMeasurement extends Measurement {
  /** Responses that were read on during the measurement. */
  readonly readOn: number;
}

export interface HangUpsResult {
  readonly name: string;
  readonly subjects: Readonly<Record<string, Record<keyof HangUpsMeasurement, Spread>>>;
}

export interface HangUpsOptions {
  readonly gateway: BenchGateway;
  /** The URL at which responses of the assistant vendor take about two seconds. */
  readonly slowUrl: string;
  readonly cores: Cores;
  readonly directory: string;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

const connections = 32;
const slowPerSecond = 60;
const leaveMs = 100;

export async function measureHangUps(options: HangUpsOptions): Promise<HangUpsResult> {
  const { gateway, slowUrl, directory } = options;
  const body = chatBody(canned['gpt-provider'].model, 1024);
  const bodyFile = join(directory, 'hang-ups.json');
  writeFileSync(bodyFile, body);
  const env = { GATEWAY_ASSISTANT_PROVIDER_URL: slowUrl, GATEWAY_READ_ON_MAX: '1000' };
  const starters = Object.keys(leaving).map((name) => ({
    name,
    start: async () => ({ ...(await gateway.startProxy(undefined, env)), name }),
  }));
  const name = `hang-ups: chat, body 1 KiB, ${connections} connections, beside ${slowPerSecond} requests/s that take 2 s`;
  const subjects = await inPasses(name, starters, (proxy) => measureOne(proxy, { ...options, body, bodyFile }));
  return { name, subjects };
}

/** When the callers of slow responses leave; undefined when they wait. */
export const leaving: Readonly<Record<string, number | undefined>> = {
  'all wait': undefined,
  'the slow ones leave': leaveMs,
};

interface Load extends HangUpsOptions {
  readonly body: string;
  readonly bodyFile: string;
}

async function measureOne(
  proxy: GatewaySubject,
  { cores, body, bodyFile, seconds, warmUpSeconds }: Load,
): Promise<HangUpsMeasurement> {
  const load = { core: cores.load, connections, bodyFile };
  await checkBodies(proxy, body);
  const slow = new SlowCallers(proxy, leaving[proxy.name]);
  try {
    await putUnderLoad(proxy, { ...load, seconds: Math.max(warmUpSeconds, 3) });
    const before = await readOn(proxy);
    const measurement = await putUnderLoad(proxy, { ...load, seconds });
    return { ...measurement, readOn: (await readOn(proxy)) - before };
  } finally {
    await slow.stop();
  }
}

function readOn(proxy: GatewaySubject): Promise<number> {
  return metric(proxy, 'gateway_read_on_total', { result: 'read' });
}

/** Sends a fixed number of requests a second, each on its own connection. */
class SlowCallers {
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(proxy: GatewaySubject, leaveAfterMs: number | undefined) {
    const body = chatBody(canned['assistant-provider'].model, 1024);
    this.#timer = setInterval(() => {
      const call = slowCall(proxy, body, leaveAfterMs).finally(() => this.#open.delete(call));
      this.#open.add(call);
    }, 1000 / slowPerSecond);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }
}

function slowCall({ port, headers }: GatewaySubject, body: string, leaveAfterMs?: number): Promise<void> {
  return new Promise((resolve) => {
    const options = { agent: false, host: '127.0.0.1', port, path: chatPath, method: 'POST', headers };
    const sent = request(options, (response) => response.resume());
    sent.once('close', resolve);
    sent.once('error', () => undefined); // its close event follows
    sent.end(body);
    if (leaveAfterMs !== undefined) setTimeout(() => sent.destroy(), leaveAfterMs);
  });
}
