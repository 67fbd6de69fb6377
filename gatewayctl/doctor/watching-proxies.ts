// Checks the proxies that watch, as their replicas report them: whether there are any, and how they reach Redis. Pure.
import type { Watcher__Output as Watcher } from '../../proto/generated/gateway/v1/Watcher.ts';
import { type Finding, failed, listed, ok, skipped, span, warning } from './finding.ts';
import { hasResponded, type ProbeResult } from './probe.ts';

/** A proxy polls every five seconds. */
const askSilentMs = 20_000;

export function checkProxies(results: readonly ProbeResult[]): Finding {
  const responses = results.filter(hasResponded);
  if (responses.length === 0) return skipped('proxies', 'the control plane has not reported them');
  const lists = responses.flatMap(({ status }) => status.watchers ?? []);
  if (lists.length === 0) return skipped('proxies', 'only platform operators see them');
  const replicas = listed(responses.map(({ status }) => status.replica));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  if (total === 0)
    return warning(
      'proxies',
      `no proxy is connected to ${replicas}`,
      'check GATEWAY_CONTROL_PLANE and GATEWAY_PROXY_TOKEN of the proxies, and their logs; --proxy <admin URL> looks at one',
    );
  const silent = responses.flatMap(({ status }) => silentOnes(status.watchers?.watchers ?? [], status.time));
  if (silent.length > 0)
    return warning(
      'proxies',
      `these have sent no request for long: ${listed(silent)}`,
      'their connections may be dead; look at their logs',
    );
  const names = lists.flatMap(({ watchers }) => watchers.map(nameOf));
  return ok('proxies', `connected to ${replicas}: ${total}, namely ${listed(names)}`);
}

function silentOnes(watchers: readonly Watcher[], time: string): string[] {
  return watchers.flatMap((watcher) => {
    const silentMs = Date.parse(time) - Date.parse(watcher.askedAt ?? watcher.since);
    return silentMs > askSilentMs ? [`${nameOf(watcher)} (${span(silentMs)})`] : [];
  });
}

export function checkRedis(results: readonly ProbeResult[]): Finding {
  const watchers = results.flatMap((one) => (hasResponded(one) ? (one.status.watchers?.watchers ?? []) : []));
  if (watchers.length === 0) return skipped('redis', 'proxies report it, and no proxy is known');
  const inState = (state: Watcher['redis']) => watchers.filter(({ redis }) => redis === state).map(nameOf);
  const [failing, without] = [inState('REDIS_STATE_FAILING'), inState('REDIS_STATE_NONE')];
  if (failing.length > 0)
    return failed('redis', `Redis does not respond to these proxies, or refuses: ${listed(failing)}`, redisAdvice);
  if (without.length > 0 && watchers.length > 1)
    return warning(
      'redis',
      `these proxies have no Redis: ${listed(without)}`,
      'set REDIS_URL: without it rate limits apply to each proxy alone',
    );
  if (without.length > 0) return ok('redis', 'the only proxy has none, and needs none');
  const well = inState('REDIS_STATE_OK');
  return well.length > 0
    ? ok('redis', `it responds to ${listed(well)}`)
    : skipped('redis', 'no proxy has reported it yet');
}

export const redisAdvice =
  'check that Redis runs, REDIS_URL, and its password and memory; meanwhile rate limits apply to each proxy alone, and more look-ups reach the control plane';

export function nameOf({ host, tokenName, identity, address }: Watcher): string {
  return host ?? `${tokenName ?? identity} at ${address}`;
}
