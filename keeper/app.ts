// Puts the keeper together, once: what it follows of the API server, what it does about it, and what it hands to the injector.
import { startAdminServer } from '../common/admin-server.ts';
import { systemClock } from '../common/clock.ts';
import { createLifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import type { Rounds } from '../common/periodic-task.ts';
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
  /** Resolves with the reason where the sidecar's image is the placeholder at the start; else never. */
  readonly refused: Promise<string>;
  /**
   * A last look whether the webhooks are to go, the lease let go; then everything is closed. What waits for the API server after the
   * grace fails at once.
   */
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly log: Logger;
  /** For all of closing. */
  readonly graceMs?: number;
}

/** Within what the pod has. */
export const drainGraceMs = 5000;

/** In the manifests. */
export const leaseName = 'model-gateway-keeper';

/** Beside the watches, which tell of changes at once: what appears is whole within five seconds, whatever a watch misses. */
const webhookEveryMs = 4_000;

/** @throws Error that says what to do: a port in use, a file that cannot be read */
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
  // Each wakes others that are made after it.
  const later: { webhook?: Rounds; certificates?: Certificates } = {};
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
  later.webhook = webhook.rounds;
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
      // All that takes time here is the API server's.
      const cancel = timers.after(graceMs, () => client.close());
      const last = surroundings.lookOnceMore().then(() => webhook.look());
      await last.catch((err: unknown) =>
        log.warn({ err }, 'the last look at the webhook configuration failed'),
      );
      // After it: a round that hangs leaves no time for what is to be taken along.
      await webhook.rounds.close();
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

/** Loaded only where it is one: what signs certificates weighs as much as all the rest. */
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
    rounds: startTask({ task: 'webhook', everyMs: webhookEveryMs, round: look }, { log, timers, metrics }),
    // Later failures are told by metrics: an injector that can review pods must not wait for what is kept of it.
    notReady: () => (hasLooked ? undefined : 'the webhook configuration has not been looked at yet'),
  };
}
