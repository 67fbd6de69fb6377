// Sends requests to proxies as callers do, and waits until all proxies change their response.
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCredential } from '../../common/credential.ts';
import { chatBody } from './gateway.ts';
import { until } from './process.ts';
import { metric, type Observed } from './telemetry.ts';

/**
 * The outcome of a request: its status, with the error's code if there is one, such as "200" or "401 access_not_found".
 */
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

/** Whether the key is admitted; no provider is called. */
export function admission(key: string): Question {
  return ({ url }) => ask(`${url}/v1/models`, { authorization: `Bearer ${key}` });
}

/** Whether the key is admitted with a provider key of its caller; no provider is called. */
export function directAdmission(key: string): Question {
  const headers = { authorization: 'Bearer sk-own', 'x-svc-vk': key, 'x-svc-direct-key': 'true' };
  return ({ url }) => ask(`${url}/v1/models`, headers);
}

/** The same question after a pause, for an outcome that is many seconds away. */
export const seldom =
  (question: Question): Question =>
  async (proxy) => {
    await sleep(250);
    return question(proxy);
  };

// A third of the cost of fetch, because the callers share their process with the proxies that they measure.
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
 * Sends requests to every proxy until its outcome is `to`; an outcome other than `from` and `to` is an error.
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
export async function outcomes(proxies: readonly RequestTarget[], question: Question): Promise<readonly string[]> {
  return Promise.all(proxies.map(async (proxy) => (await question(proxy)).outcome));
}

/**
 * Waits until the proxy's commands reach Redis: a made-up key is looked up there before the control plane is called.
 */
export async function redisResponds(proxy: RequestTarget & Observed): Promise<void> {
  const failures = () => metric(proxy, 'gateway_access_cache_failures_total');
  await until(
    async () => {
      const before = await failures();
      await admission(createCredential('virtualKey'))(proxy);
      if ((await failures()) === before) return true;
      // The proxy processes twenty unknown keys a minute.
      await sleep(200);
      return false;
    },
    { timeoutMs: 3000, what: 'Redis to respond to the proxy' },
  );
}
