// Callers of limited keys that retry at the given time, and the requests that their provider sees. Times are monotonic
// milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, RecordedRequest, Simulator } from '../../simulator/index.ts';
import { chat, type Reply, type RequestTarget } from './chat-requests.ts';
import type { TestOrganization } from './gateway.ts';

export type CountedKind = 'REQUESTS_PER_MINUTE' | 'TOKENS_PER_MINUTE' | 'CONCURRENT_REQUESTS';
export type LimitSubject = readonly ['ORGANIZATION' | 'AI_SYSTEM' | 'PERSON' | 'VIRTUAL_KEY', string];

/** @returns the limit's id */
export async function createLimit(
  { id: organizationId, api }: TestOrganization,
  [level, id]: LimitSubject,
  [kind, count]: readonly [CountedKind, number],
): Promise<string> {
  const subject = { kind: `LIMIT_SUBJECT_KIND_${level}`, id };
  const made = await api.call('Limits/Create', {
    organizationId,
    subject,
    kind: `LIMIT_KIND_${kind}`,
    count,
  });
  return String(made.id);
}

/** A message with the response that the simulator sends. */
export function simulate(behaviour: Behaviour): { readonly messages: readonly object[] } {
  return { messages: [{ role: 'user', content: JSON.stringify({ simulate: behaviour }) }] };
}

export interface Callers {
  readonly proxies: readonly RequestTarget[];
  readonly key: string;
  readonly count: number;
  /** Longest pause of a caller with a retry time of a second, which is rounded up. Default 1,000. */
  readonly restMs?: number;
  /** Fields of each request. */
  fields(): object;
}

/**
 * All callers together, started within half a second; each sends its next request after a response or its retry time.
 * @returns all responses
 */
export async function callersFor(ms: number, callers: Callers): Promise<Reply[]> {
  const { proxies, key, count, fields, restMs = 1000 } = callers;
  const end = performance.now() + ms;
  const replies: Reply[] = [];
  const call = async (index: number) => {
    const proxy = proxies[index % proxies.length];
    if (proxy === undefined) throw new Error('there is no proxy');
    await sleep(Math.random() * Math.min(500, ms / 4));
    do {
      const reply = await chat(key, fields())(proxy);
      replies.push(reply);
      if (reply.outcome !== '200')
        await sleep(Math.max(1, Math.min(waitAfter(reply, restMs), end - performance.now())));
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => call(index)));
  return replies;
}

/** A random pause, so that callers do not all come at once. */
function waitAfter({ headers }: Reply, restMs: number): number {
  const seconds = Number(headers['retry-after'] ?? 1);
  return seconds > 1 ? (seconds - Math.random()) * 1000 : Math.max(50, Math.random() * restMs);
}

export interface Sighting {
  readonly at: number;
  readonly request: RecordedRequest;
}

/** Every valid request from now on. The simulator itself forgets old ones. */
export function watchProvider(simulator: Simulator): readonly Sighting[] {
  const seen: Sighting[] = [];
  simulator.script(
    {},
    {
      when: (request) => {
        seen.push({ at: performance.now(), request });
        return false;
      },
    },
  );
  return seen;
}

/** The largest number of these times within less than `ms`. */
export function mostWithin(times: readonly number[], ms: number): number {
  let [most, from] = [0, 0];
  times.forEach((time, index) => {
    while (time - (times[from] ?? time) >= ms) from++;
    most = Math.max(most, index - from + 1);
  });
  return most;
}
