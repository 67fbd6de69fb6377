// Keeps the webhook configuration complete: sets the authority of the injector's certificate whenever it is missing or
// differs, and deletes the configuration when no injector is left. The manifests create it, never the keeper.
import type { JsonObject } from '../common/json.ts';
import type { Logger } from '../common/logger.ts';
import { type ApiClient, hasStatus } from './api/client.ts';
import { paths } from './api/sources.ts';
import { type Part, planWebhook, type Surroundings } from './webhook-plan.ts';

/** Names in the manifests. */
export const webhookName = 'model-gateway-injector';
export const injectorService = 'injector';

export interface WebhookDeps {
  readonly client: ApiClient;
  readonly log: Logger;
  surroundings(): Omit<Surroundings, 'service'>;
  readonly namespace: string;
  /**
   * Only the leader corrects a different authority, so that two keepers with different authorities do not overwrite
   * each other. Every keeper adds a missing one.
   */
  isLeader(): boolean;
  onWritten(part: Part | 'deleted'): void;
  /** Whether the configuration exists. */
  onSeen(isThere: boolean): void;
}

/** Attempts to read and write within one run, if the object changes in between. */
const triesMax = 3;

/** One run of the task. @throws ApiError, Error */
export async function keepWebhook(deps: WebhookDeps): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await keepOnce(deps);
    } catch (error) {
      const isOutdated = hasStatus(error, 409, 422);
      if (!isOutdated || tries === triesMax) throw error;
    }
  }
}

async function keepOnce(deps: WebhookDeps): Promise<void> {
  const { client, log, surroundings, namespace, isLeader, onWritten, onSeen } = deps;
  const path = paths.webhook(webhookName);
  const configuration = await readIfThere(client, path);
  onSeen(configuration !== undefined);
  if (configuration === undefined) return;
  const service = { name: injectorService, namespace };
  const plan = planWebhook(configuration, { ...surroundings(), service });
  switch (plan.kind) {
    case 'nothing':
      return;
    case 'delete':
      await deleteIfThere(client, path, plan.uid);
      log.info({ webhook: webhookName, why: plan.why }, 'the webhook configuration was deleted');
      return onWritten('deleted');
    case 'patch':
      if (!plan.isUrgent && !isLeader()) return;
      await client.patch(path, plan.operations);
      log.info({ webhook: webhookName, parts: plan.parts }, 'the webhook configuration was mended');
      for (const part of plan.parts) onWritten(part);
  }
}

async function readIfThere(client: ApiClient, path: string): Promise<JsonObject | undefined> {
  try {
    return await client.get(path);
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

async function deleteIfThere(client: ApiClient, path: string, uid: string): Promise<void> {
  try {
    await client.delete(path, uid);
  } catch (error) {
    // Already deleted, or replaced by another one.
    if (!hasStatus(error, 404, 409)) throw error;
  }
}
