// Composition root of the keeper: the objects that it follows at the API server, its tasks, and the files for the
// injector.
import { startAdminServer } from '../common/admin-server.ts';
import { systemClock } from '../common/clock.ts';
import { createLifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import type { PeriodicTask } from '../common/periodic-task.ts';
import { systemTimers } from '../common/timers.ts';
import { startLeadership } from './api/leadership.ts';
import { paths } from './api/sources.ts';
import { createHand } from './hand.ts';
import { openCaFile } from './open-authority.ts';
import { openClient } from './open-client.ts';
import { openNamespaces } from './open-namespaces.ts';
import { type OpenSurroundings, openSurroundings } from './open-surroundings.ts';
import type { KeeperSettings } from './settings.ts';
import type { Certificates, Shared } from './shared.ts';
import { startTask } from './shared.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { keepWebhook } from './webhook.ts';

export interface Keeper {
  readonly adminPort: number;
  /** Resolves with the reason if the sidecar's image is the placeholder at the start; otherwise never. */
  readonly refused: Promise<string>;
  /**
   * Decides once more whether to delete the webhooks, and releases the lease; then everything closes. Requests to the
   * API server fail at once after the grace.
   */
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly log: Logger;
  /** For the whole close. */
  readonly graceMs?: number;
}

/** Within the pod's termination grace period. */
export const drainGraceMs = 5000;

/** The name in the manifests. */
export const leaseName = 'model-gateway-keeper';

/**
 * In addition to watches, which report changes at once: a new configuration is complete within five seconds, even if a
 * watch misses it.
 */
const webhookEveryMs = 4_000;

/** @throws Error that names the cause and the remedy, such as a port in use or an unreadable file */
export async function startKeeper(
  settings: KeeperSettings,
  { log, graceMs = drainGraceMs }: KeeperOptions,
): Promise<Keeper> {
  const lifecycle = createLifecycle(log);
  try {
    const metrics = createMetrics();
    const client = await openClient(settings, { log, metrics, lifecycle });
    const base = { log, lifecycle, metrics, clock: systemClock, timers: systemTimers };
    return await assemble({ ...base, settings, client }, graceMs);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function assemble(shared: Shared, graceMs: number): Promise<Keeper> {
  const { settings, client, metrics, log, lifecycle, timers } = shared;
  // Earlier parts wake these later ones.
  const later: { webhook?: PeriodicTask; certificates?: Certificates } = {};
  const leadership = openLeadership(shared, () => {
    later.webhook?.wake();
    later.certificates?.wake();
  });
  const hand = createHand(settings.handedDir);
  const surroundings = openSurroundings(shared, { hand, onChange: () => later.webhook?.wake() });
  const namespaces = openNamespaces(shared, { hand, onChange: () => later.certificates?.wake() });
  const onBundle = () => later.webhook?.wake();
  const certificates = settings.authority
    ? await openAuthority(shared, { leadership, tenants: namespaces.tenants, onBundle })
    : await openCaFile(shared, onBundle);
  later.certificates = certificates;
  metrics.observe({
    isLeader: () => leadership.isLeader(),
    certificates: () => certificates.ends(),
    namespacesLeftOut: () => namespaces.leftOut(),
  });
  const webhook = openWebhook(shared, { surroundings, certificates, isLeader: () => leadership.isLeader() });
  later.webhook = webhook.task;
  let isStopping = false;
  const admin = await startAdminServer(settings.adminListen, {
    metrics: () => metrics.collect(),
    notReady: () => (isStopping ? 'it is draining' : (webhook.notReady() ?? surroundings.notReady())),
  });
  lifecycle.onClose('admin', () => admin.close());
  return {
    adminPort: admin.port,
    refused: surroundings.refused,
    close: async () => {
      isStopping = true;
      // Only the API server can make this slow.
      const cancel = timers.after(graceMs, () => client.close());
      const last = surroundings.lookOnceMore().then(() => webhook.look());
      await last.catch((err: unknown) => log.warn({ err }, 'the last look at the webhook configuration failed'));
      // Afterwards, because a run that hangs would leave no time for deleting the webhooks.
      await webhook.task.close();
      await lifecycle.close();
      cancel();
    },
  };
}

function openLeadership(
  { client, clock, timers, log, settings: { identity, namespace }, lifecycle }: Shared,
  onChange: () => void,
) {
  const path = paths.lease(namespace, leaseName);
  const leadership = startLeadership({ client, clock, timers, log, identity, path, onChange });
  lifecycle.onClose('lease', () => leadership.close());
  return leadership;
}

/** Loaded only if the keeper is the authority: the code that signs certificates is as large as all the rest. */
async function openAuthority(
  ...parameters: Parameters<typeof import('./open-authority.ts')['openAuthority']>
): Promise<Certificates> {
  const loaded = await import('./open-authority.ts');
  return loaded.openAuthority(...parameters);
}

interface WebhookParts {
  readonly surroundings: OpenSurroundings;
  readonly certificates: Certificates;
  isLeader(): boolean;
}

function openWebhook(
  { settings: { namespace }, client, log, timers, metrics }: Shared,
  { surroundings, certificates, isLeader }: WebhookParts,
) {
  let hasLooked = false;
  const look = async () => {
    await keepWebhook({
      client,
      log,
      namespace,
      isLeader,
      surroundings: () => ({ ...surroundings.current(), bundle: certificates.bundle() }),
      onWritten: (what) => metrics.webhookWritten(what),
      onSeen: (isThere) => metrics.webhookSeen(isThere),
    });
    hasLooked = true;
  };
  return {
    look,
    task: startTask({ task: 'webhook', everyMs: webhookEveryMs, run: look }, { log, timers, metrics }),
    // Metrics report later failures: an injector that can review pods must not wait for the keeper.
    notReady: () => (hasLooked ? undefined : 'the webhook configuration has not been looked at yet'),
  };
}
