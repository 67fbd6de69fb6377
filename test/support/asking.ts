// Asks proxies as their callers do, and waits until all of them answer a question differently.
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCredential } from '../../common/credential.ts';
import { chatBody } from './gateway.ts';
import { until } from './process.ts';
import { metric, type Observed } from './telemetry.ts';

/** What came of a request: its status, with the error's code where there is one, such as "200" or "401 access_not_found". */
export interface Reply {
  readonly outcome: string;
  readonly message: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly ms: number;
}

export interface RequestTarget {
  readonly url: string;
}

export type Question = (proxy: RequestTarget) => Promise<Reply>;

/** A chat request that is not streamed. */
export function chat(key: string, fields: object = {}, headers: Record<string, string> = {}): Question {
  const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = chatBody(fields);
  return ({ url }) => ask(`${url}/v1/chat/completions`, { ...bearer, ...headers }, body);
}

/** Whether the key is let in at all: no provider is asked. */
export function admission(key: string): Question {
  return ({ url }) => ask(`${url}/v1/models`, { authorization: `Bearer ${key}` });
}

// A third of what fetch costs: the callers share their process with the proxies they measure.
const agent = new Agent({ keepAlive: true });

async function ask(url: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  const started = performance.now();
  const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { error } = JSON.parse(await text(response)) as { error?: { code: string; message: string } };
  const { statusCode } = response;
  return {
    outcome: error === undefined ? String(statusCode) : `${statusCode} ${error.code}`,
    message: error?.message,
    headers: response.headers,
    ms: performance.now() - started,
  };
}

export interface Turn {
  readonly from: string;
  readonly to: string;
  /** Default 2,500: ten times what the design promises at the 99th percentile. */
  readonly withinMs?: number;
}

/**
 * Asks every proxy again and again until it answers `to`; an answer that is neither `from` nor `to` is an error.
 * @returns milliseconds until the last proxy did
 */
export async function turns(
  proxies: readonly RequestTarget[],
  question: Question,
  { from, to, withinMs = 2500 }: Turn,
): Promise<number> {
  const started = performance.now();
  const turned = proxies.map((proxy, index) =>
    until(
      async () => {
        const { outcome } = await question(proxy);
        if (outcome !== from && outcome !== to) throw new Error(`${outcome} between ${from} and ${to}`);
        return outcome === to;
      },
      { timeoutMs: withinMs, what: `${to} at proxy ${index}` },
    ),
  );
  await Promise.all(turned);
  return performance.now() - started;
}

/** The outcomes of one question at every proxy. */
export async function outcomes(
  proxies: readonly RequestTarget[],
  question: Question,
): Promise<readonly string[]> {
  return Promise.all(proxies.map(async (proxy) => (await question(proxy)).outcome));
}

/** Waits until the proxy's commands reach Redis: a made-up key is looked for there before the control plane is asked. */
export async function redisResponds(proxy: RequestTarget & Observed): Promise<void> {
  const failures = () => metric(proxy, 'gateway_access_cache_failures_total');
  await until(
    async () => {
      const before = await failures();
      await admission(createCredential('virtualKey'))(proxy);
      if ((await failures()) === before) return true;
      // Twenty refusals a minute are answered.
      await sleep(200);
      return false;
    },
    { timeoutMs: 3000, what: 'Redis to answer the proxy' },
  );
}
