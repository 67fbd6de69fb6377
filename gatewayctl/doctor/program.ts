// Checks one program by its admin listener. Its metrics show which program of the gateway it is. Pure.
import { type Finding, failed, ok, warning } from './finding.ts';
import { type Metric, readMetrics, total } from './metrics.ts';
import type { AdminSeen } from './probe.ts';
import { checkProxy } from './proxy.ts';

/** Programs, by a metric that only they have. */
const programs = {
  gateway_keeper_leader: 'keeper',
  gateway_injector_reviews_total: 'injector',
  gateway_control_plane_feed_revision: 'control plane',
  gateway_in_flight_requests: 'proxy',
} as const;

export function checkProgram(url: string, seen: AdminSeen): Finding {
  if ('error' in seen)
    return failed('program', `${url}: no response (${seen.error})`, 'name an admin listener, GATEWAY_ADMIN_LISTEN');
  const metrics = readMetrics(seen.metrics ?? '');
  const found = Object.entries(programs).find(([name]) => metrics.some((metric) => metric.name === name));
  const [, program = 'program'] = found ?? [];
  if (program === 'proxy') return checkProxy(url, seen);
  const name = `${url} (${program})`;
  if (!seen.ready) return failed('program', `${name}: ${seen.reason}`, adviceFor(seen.reason));
  if (found === undefined)
    return warning('program', `${url}: it is ready, but is none of the gateway’s`, 'check the address');
  return (program === 'keeper' ? checkKeeper(name, metrics) : undefined) ?? ok('program', `${name}: ready`);
}

function adviceFor(reason: string): string {
  if (reason.includes('placeholder'))
    return 'name the image of your proxy for registry.invalid/model-gateway/proxy in your kustomization, and apply it';
  if (reason.includes('keeper')) return 'look at the log of the container keeper beside it';
  return 'look at its log';
}

function checkKeeper(name: string, metrics: readonly Metric[]): Finding | undefined {
  const failing = metrics
    .filter((metric) => metric.name === 'gateway_keeper_task_failing' && metric.value === 1)
    .map(({ labels }) => labels.task ?? '');
  if (failing.length > 0) return failed('program', `${name}: fails at ${failing.join(', ')}`, 'its log has the cause');
  if (total(metrics, 'gateway_keeper_webhook_present') !== 0) return undefined;
  return warning(
    'program',
    `${name}: there is no webhook configuration, so pods start without sidecars`,
    'apply the manifests again; then restart what has started meanwhile',
  );
}
