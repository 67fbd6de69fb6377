// The end of a chaos run: everything works again, and then comes to rest.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '../support/pace.ts';
import { until } from '../support/process.ts';
import { metric } from '../support/telemetry.ts';
import type { Traffic } from './callers.ts';
import type { Auditor } from './ledger.state.ts';
import type { ProxyOfChaos } from './planes.ts';
import { isRefusedByBudget } from './verifier.ts';

interface Recovery {
  readonly entries: readonly ProxyOfChaos[];
  readonly traffic: Traffic;
  readonly pace: Pace;
  /** Promised after the last fault. */
  readonly recoveryMs: number;
}

/** So many calls in a row succeed at each proxy and sidecar that works. */
const callsInARow = 5;
/** For so many calls at all of them. */
const callsMs = 5_000;

/** Waits until each proxy and sidecar works, which may be long before the promised time. @returns what does not work */
export async function recovered({ entries, traffic, pace, recoveryMs }: Recovery): Promise<readonly string[]> {
  const since = performance.now();
  const works = ({ name }: ProxyOfChaos) => {
    const calls = traffic.calls.filter(({ entry, reading }) => entry === name && reading.startedAt >= since);
    const last = calls.slice(-callsInARow);
    const isGood = (call: (typeof last)[number]) => ['200', 'left'].includes(call.reading.outcome);
    return last.length === callsInARow && last.every((call) => isGood(call) || isRefusedByBudget(call));
  };
  for (;;) {
    const failing = entries.filter((entry) => !works(entry));
    if (failing.length === 0) return [];
    const now = performance.now();
    const waitedMs = now - since;
    if (waitedMs > (recoveryMs + callsMs) * pace.factor(since, now))
      return failing.map(({ name }) => `${name} does not work ${Math.round(waitedMs)} ms after the last fault`);
    await sleep(100);
  }
}

export const restMs = 120_000;
/** A proxy notices after five minutes that Redis has lost usage, and its session ends a minute later. */
export const restWithLossMs = restMs + 360_000;

/** Waits until proxies have reported everything and no money is leased. @returns what does not come to rest */
export async function rested(
  proxies: readonly ProxyOfChaos[],
  auditor: Auditor,
  timeoutMs: number,
): Promise<readonly string[]> {
  const queued = async () =>
    Math.max(...(await Promise.all(proxies.map((one) => metric(one, 'gateway_usage_queued_events')))));
  const leased = async () => (await auditor.windows()).reduce((sum, window) => sum + window.leased, 0);
  try {
    await until(async () => (await queued()) === 0, { timeoutMs, what: 'proxies to report everything' });
    await until(async () => (await leased()) === 0, { timeoutMs, what: 'all money to be released' });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
