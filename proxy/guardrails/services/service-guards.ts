// The guardrails that another service decides, as requests see them. What a service has to itself (places, failures in a row,
// connections) is kept by its guardrail's id and revision, for all requests.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../common/clock.ts';
import type { GuardedPost } from '../../../common/guarded-request.ts';
import type { Logger } from '../../../common/logger.ts';
import { never } from '../../../common/never.ts';
import { type Guardrail, isAskedCheck } from '../../../guardrails/definition.ts';
import { type Ask, LimitedCheck } from './limited-check.ts';
import { type AskModel, createModelAsk } from './model.ts';
import { createModerationAsk, type ModerationDeps, moderationTimeoutMs } from './moderation.ts';
import { type ServiceCheck, ServiceFailedError, type ServiceGuard } from './service.ts';
import { createServiceGuard, type ServiceContext } from './service-guard.ts';
import { createVendorAsk, type VendorServiceDeps } from './vendor-service.ts';
import { createWebhookAsk } from './webhook.ts';

export interface ServiceMetrics {
  /** @param outcome "answered", or the reason of a ServiceFailedError */
  serviceAsked(kind: Guardrail['check']['kind'], outcome: string): void;
}

export interface ServiceGuardsDeps {
  /** Opens the connections of one webhook, or service. */
  openPost(): GuardedPost;
  readonly moderation: ModerationDeps;
  readonly cloud: VendorServiceDeps['cloud'];
  readonly askModel: AskModel;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
}

/** Of many organizations; what is forgotten begins anew. */
const checksMax = 10_000;

/** @returns what makes the guard of one guardrail, for one stage of one request */
export function createServiceGuards(
  deps: ServiceGuardsDeps,
): (guardrail: Guardrail, context: ServiceContext) => ServiceGuard {
  const checks = new LRUCache<string, ServiceCheck>({ max: checksMax });
  return (guardrail, context) => {
    const key = `${guardrail.id} ${guardrail.revision}`;
    const check = checks.get(key) ?? limited(guardrail, deps);
    checks.set(key, check);
    return createServiceGuard(guardrail, check, context);
  };
}

function limited({ check }: Guardrail, deps: ServiceGuardsDeps): ServiceCheck {
  const { clock, log, metrics, moderation, openPost, cloud, askModel } = deps;
  const within = (timeoutMs: number, ask: Ask) =>
    new LimitedCheck({
      ask,
      timeoutMs,
      clock,
      log,
      asked: (outcome) => metrics.serviceAsked(check.kind, outcome),
    });
  if (!isAskedCheck(check)) return { ask: () => Promise.reject(new ServiceFailedError('unknown')) };
  switch (check.kind) {
    case 'webhook':
      return within(check.timeoutMs, createWebhookAsk(check, { post: openPost(), clock }));
    case 'moderation':
      return within(moderationTimeoutMs, createModerationAsk(check, moderation));
    case 'service':
      return within(check.timeoutMs, createVendorAsk(check, { post: openPost(), clock, cloud }));
    case 'model':
      return within(check.timeoutMs, createModelAsk(check, askModel));
    default:
      return never(check);
  }
}
