// Keeps the webhook configuration whole: the authority of the injector's certificate in it, whenever it appears or differs, and
// gone when nobody is left who would answer. Nothing is created: the manifests bring it.
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
  /** Only one corrects what differs, so that two who know different authorities do not take turns; what is missing anybody adds. */
  isLeader(): boolean;
  onWritten(part: Part | 'deleted'): void;
  /** Whether it was there. */
  onSeen(isThere: boolean): void;
}

/** A change between reading and writing is read again so often before the next round. */
const triesMax = 3;

/** Looks once. @throws ApiError, Error */
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
    // Gone, or another one by now.
    if (!hasStatus(error, 404, 409)) throw error;
  }
}
