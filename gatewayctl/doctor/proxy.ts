// Checks one proxy by its admin listener: whether it is ready, how old its feed is, and the state of Redis in its
// metrics. Pure.
import { type Finding, failed, ok, span, warning } from './finding.ts';
import { type Metric, readMetrics, total } from './metrics.ts';
import type { AdminSeen } from './probe.ts';
import { redisAdvice } from './watching-proxies.ts';

export function checkProxy(url: string, seen: AdminSeen): Finding {
  if ('error' in seen)
    return failed(
      'proxy',
      `${url}: no response (${seen.error})`,
      'name its admin listener, GATEWAY_ADMIN_LISTEN (9090)',
    );
  const metrics = readMetrics(seen.metrics ?? '');
  const version = metrics.find(({ name }) => name === 'gateway_build_info')?.labels.version;
  const name = version === undefined ? url : `${url} (${version})`;
  if (!seen.ready) return failed('proxy', `${name}: ${seen.reason}`, adviceFor(seen.reason));
  if (seen.metrics === undefined)
    return warning('proxy', `${name}: it is ready, but shows no metrics`, 'check that this is its admin listener');
  const [feed, redis] = [checkFeed(name, metrics), checkRedis(name, metrics)];
  return feed ?? redis ?? ok('proxy', `${name}: ready${feedText(metrics)}`);
}

function adviceFor(reason: string): string {
  if (/ has \w+ yet$/.test(reason))
    return 'it has had no records since its start: check GATEWAY_CONTROL_PLANE, its TLS settings, GATEWAY_PROXY_TOKEN and REDIS_URL, and its log';
  if (reason.includes('drain') || reason.includes('stopping')) return 'it is being stopped; wait for the next one';
  return 'look at its log';
}

const feedMetric = 'gateway_feed_age_seconds';
/** After this silence a proxy treats its feed as dead. */
const feedSilentMs = 20_000;

/** A proxy in forward mode has no feed. */
function checkFeed(name: string, metrics: readonly Metric[]): Finding | undefined {
  const age = total(metrics, feedMetric);
  if (age === undefined) return undefined;
  const advice =
    'changes, revocations among them, do not reach it: check GATEWAY_CONTROL_PLANE and GATEWAY_PROXY_TOKEN, the network, and the database of the control plane';
  if (Number.isNaN(age))
    return failed('proxy', `${name}: no control plane has confirmed its records since it started`, advice);
  if (age * 1000 <= feedSilentMs) return undefined;
  return failed('proxy', `${name}: its feed is ${span(age * 1000)} old`, advice);
}

/** The metric is absent if no Redis is configured. */
function checkRedis(name: string, metrics: readonly Metric[]): Finding | undefined {
  return total(metrics, 'gateway_redis_up') === 0
    ? failed('proxy', `${name}: its Redis does not respond, or refuses`, redisAdvice)
    : undefined;
}

function feedText(metrics: readonly Metric[]): string {
  const age = total(metrics, feedMetric);
  return age === undefined ? '' : `, its feed ${span(age * 1000)} old`;
}
