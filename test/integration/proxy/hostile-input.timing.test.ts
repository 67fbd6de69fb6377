// Hostile input does not slow other callers down.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatRequest, type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import { startNode, until } from '../../support/process.ts';

let gateway: TestGateway;
let key: string;
let proxy: ProxyProcess;
let quiet: number[];

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_BODY_BYTES_MAX: '32MiB' } });
  key = (await gateway.organization.createKey()).value;
  // The attacker, the proxy and this caller are separate processes, because they must not share an event loop.
  proxy = await gateway.startProxyProcess();
  await latencies(proxy.url, 60);
  quiet = await latencies(proxy.url, 60);
});
afterAll(() => gateway.close());

/** Milliseconds of each of some requests, one after another, sorted by length. */
async function latencies(url: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    const started = performance.now();
    await (await fetch(`${url}/v1/chat/completions`, chatRequest(key))).text();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}
const p99 = (times: number[]) => times[Math.floor(times.length * 0.99)] ?? 0;

describe('other callers', () => {
  it.each(['[', '{},'])('get responses as fast as in quiet beside bodies of 32 MiB of %s', async (pattern) => {
    const attacker = startNode(['test/support/flood.ts', String(proxy.port), key, pattern]);
    await until(() => attacker.stdout().includes('400'));
    const busy = await latencies(proxy.url, 60);
    await attacker.stop();
    const refused = attacker
      .stdout()
      .split('\n')
      .filter((line) => line !== '');
    expect(new Set(refused)).toEqual(new Set(['400 invalid_request']));
    console.log(
      `beside ${refused.length} bodies of ${pattern}: p99 ${p99(busy).toFixed(1)} ms, quiet ${p99(quiet).toFixed(1)} ms`,
    );
    // On a machine that runs other tests as well, single milliseconds are noise.
    expect(p99(busy)).toBeLessThan(10 * Math.max(p99(quiet), 5));
  });
});
