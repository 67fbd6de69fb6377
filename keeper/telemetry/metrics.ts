// The keeper's metrics (the only use of prom-client in this program). Label values come from fixed tables.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CertificateEnd, certificateGauge } from '../../common/certificate-ends.ts';
import { lossCounters } from '../../common/shared-metrics.ts';
import { version } from '../../common/version.ts';
import type { Verb } from '../api/client.ts';
import type { Part } from '../webhook-plan.ts';

/** The periodic tasks of a keeper. */
export const tasks = ['webhook', 'image', 'sizes', 'certificates', 'tenants'] as const;
export type Task = (typeof tasks)[number];

export const webhookWrites = ['ca_bundle', 'owner', 'deleted'] as const satisfies readonly (Part | 'deleted')[];

export interface KeeperMetrics {
  requested(verb: Verb, status: number): void;
  webhookWritten(what: (typeof webhookWrites)[number]): void;
  /** Whether the configuration existed at the last check. */
  webhookSeen(isThere: boolean): void;
  /** Whether the task's last run failed. */
  taskFailing(task: Task, failing: boolean): void;
  /** Registers values that are read at each scrape. */
  observe(gauges: KeeperGauges): void;
  /** The Prometheus text. */
  collect(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface KeeperGauges {
  isLeader(): boolean;
  certificates(): readonly CertificateEnd[];
  /**
   * Namespaces whose sizes did not fit into the text for the injector; undefined: the keeper has no right to read them.
   */
  namespacesLeftOut(): number | undefined;
}

export function createMetrics(): KeeperMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; its label is the version.',
    labelNames: ['version'] as const,
    registers,
  }).set({ version }, 1);
  for (const options of lossCounters(registers)) new Counter(options);
  const requests = new Counter({
    name: 'gateway_keeper_api_requests_total',
    help: 'Requests to the API server, by verb and HTTP status.',
    labelNames: ['verb', 'status'] as const,
    registers,
  });
  const writes = new Counter({
    name: 'gateway_keeper_webhook_writes_total',
    help: 'Changes of the webhook configuration: ca_bundle, owner, deleted.',
    labelNames: ['what'] as const,
    registers,
  });
  for (const what of webhookWrites) writes.inc({ what }, 0);
  const present = new Gauge({
    name: 'gateway_keeper_webhook_present',
    help: 'Whether there is a webhook configuration (1) or not (0): without one pods start without sidecars.',
    registers,
  });
  const failing = new Gauge({
    name: 'gateway_keeper_task_failing',
    help: 'Whether the last run of a task has failed (1) or not (0): webhook, image, sizes, certificates, tenants. The log has the cause.',
    labelNames: ['task'] as const,
    registers,
  });
  for (const task of tasks) failing.set({ task }, 0);
  return {
    requested: (verb, status) => requests.inc({ verb, status: String(status) }),
    webhookWritten: (what) => writes.inc({ what }),
    webhookSeen: (isThere) => present.set(isThere ? 1 : 0),
    taskFailing: (task, isFailing) => failing.set({ task }, isFailing ? 1 : 0),
    observe: (gauges) => observe(registers, gauges),
    collect: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

function observe(registers: Registry[], { isLeader, certificates, namespacesLeftOut }: KeeperGauges): void {
  new Gauge({
    name: 'gateway_keeper_leader',
    help: 'Whether this keeper is the active one (1) or on standby (0).',
    registers,
    collect() {
      this.set(isLeader() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'gateway_keeper_namespaces_left_out',
    help: 'Namespaces whose sizes have no room in the injector’s file. Absent if the keeper may not read namespaces.',
    registers,
    collect() {
      const count = namespacesLeftOut();
      if (count === undefined) this.remove();
      else this.set(count);
    },
  });
  new Gauge(certificateGauge(certificates, registers));
}
