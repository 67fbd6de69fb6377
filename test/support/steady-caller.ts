// A caller that sends named requests to one proxy at a steady pace, and in the end compares the responses with the
// ledger.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './process.ts';
import { type Recording, recordedRequests } from './recorded.ts';
import { isAsReported, namedRequest, type UsageReport } from './recorder.ts';
import { type Outcome, spend } from './spending.ts';

export interface TimedOutcome {
  readonly name: string;
  readonly reported: UsageReport;
  readonly outcome: Outcome;
  /** Time of the request, by performance.now(). */
  readonly at: number;
  readonly ms: number;
}

export interface SteadyCaller {
  readonly outcomes: readonly TimedOutcome[];
  /** Resolves after the last response. */
  stop(): Promise<void>;
}

let named = 0;

/** Sends a request, and the next one this long after each response. */
export function keepRequesting(url: string, key: string, everyMs: number): SteadyCaller {
  const outcomes: TimedOutcome[] = [];
  let stopped = false;
  const pending = (async () => {
    while (!stopped) {
      outcomes.push(await askOnce(url, key));
      await sleep(everyMs);
    }
  })();
  return {
    outcomes,
    stop: async () => {
      stopped = true;
      await pending;
    },
  };
}

export async function askOnce(url: string, key: string): Promise<TimedOutcome> {
  named++;
  const name = `steady-${named}`;
  const reported = { promptTokens: 1 + (named % 50), completionTokens: 1 + (named % 97) };
  const at = performance.now();
  const outcome = await spend({ url, key, requestId: name, fields: namedRequest(name, reported) });
  return { name, reported, outcome, at, ms: performance.now() - at };
}

/**
 * Waits until all successful requests are recorded. @returns events that differ from the reported usage, occur twice,
 * or belong to refused requests
 */
export async function wronglyRecorded(of: Recording, outcomes: readonly TimedOutcome[]): Promise<readonly string[]> {
  const whole = outcomes.filter(({ outcome }) => outcome === '200');
  const rows = await until(
    async () => {
      const recorded = await recordedRequests(of);
      const names = new Set(recorded.map(({ requestId }) => requestId));
      return whole.every(({ name }) => names.has(name)) && recorded;
    },
    { timeoutMs: 30_000, what: 'all usage to be recorded' },
  );
  const byName = Map.groupBy(rows, ({ requestId }) => requestId);
  const isWrong = ({ name, outcome, reported }: TimedOutcome) => {
    const [row, ...others] = byName.get(name) ?? [];
    if (others.length > 0) return true;
    return outcome === '200' ? row === undefined || !isAsReported(row, reported) : row !== undefined;
  };
  return outcomes.filter(isWrong).map((each) => JSON.stringify([each, byName.get(each.name)]));
}
