// The guardrails of organizations, as in their records, with everything that outlives a request: compiled matchers,
// workers, slots and breakers of services, samples for the control plane. A request without applicable guardrails is
// not inspected at all.
import { type AddressRule, addressRule } from '../../../common/addresses.ts';
import type { Background } from '../../../common/background.ts';
import type { Clock } from '../../../common/clock.ts';
import { createGuardedPost, type GuardedPost, type GuardOptions } from '../../../common/guarded-request.ts';
import type { Logger } from '../../../common/logger.ts';
import type { Timers } from '../../../common/timers.ts';
import type { LoopScheduler } from '../../loop-scheduler.ts';
import { type ShareUses, useOf } from '../../shares.ts';
import { CompiledGuardrails, hasOutputGuardrails } from '../compiled.ts';
import { type DecisionClient, DecisionSamples } from '../decision-samples.ts';
import type { GuardrailMetrics } from '../decisions.ts';
import type { Guardrails } from '../guardrail.ts';
import { Scanner } from '../scanner.ts';
import { createServiceGuards, type ServiceGuardsDeps, type ServiceMetrics } from '../services/service-guard.ts';
import { webhookConnections, webhookResponseBytesMax } from '../services/webhook.ts';
import { guardStream } from '../stream/guard-stream.ts';
import { WorkerPool } from '../worker-pool.ts';
import { RequestInspection, type RequestInspectionDeps } from './request-inspection.ts';

export interface LiveGuardrailsDeps extends Pick<ServiceGuardsDeps, 'moderation' | 'cloud' | 'askModel'> {
  /** Addresses that webhooks may reach. */
  readonly serviceAddresses: AddressRule;
  readonly network?: ServiceNetwork | undefined;
  /** In UTF-16 units: the longest match that is never partially streamed. */
  readonly window: number;
  readonly eventBytesMax: number;
  readonly client: DecisionClient;
  readonly metrics: GuardrailMetrics & ServiceMetrics;
  readonly shares: ShareUses;
  readonly loop: LoopScheduler;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly log: Logger;
}

/**
 * How names are resolved, and which certificate authorities are trusted. Default: the DNS servers and the authorities
 * of Node.
 */
export type ServiceNetwork = Pick<GuardOptions, 'resolve' | 'ca'>;

export interface LiveGuardrails extends Guardrails {
  /** Reports the last samples and stops the workers. */
  close(): Promise<void>;
}

export function createLiveGuardrails(deps: LiveGuardrailsDeps): LiveGuardrails {
  const now = () => deps.clock.monotonic();
  const pool = new WorkerPool(deps);
  const scanner = new Scanner({ pool, loop: deps.loop, window: deps.window, now });
  deps.shares.watch('guardrail_slices', () => useOf(scanner.slices));
  deps.shares.watch('guardrail_queue', () => useOf(pool.waiting));
  deps.shares.watch('guardrail_workers', () => useOf(pool.working));
  const samples = new DecisionSamples(deps);
  const compiled = new CompiledGuardrails({
    log: deps.log,
    // A worker costs memory and start-up time, so a proxy whose callers have no guardrails has none.
    onCompiled: () => pool.warm(),
  });
  const guardrails = createGuardrails(compiled, {
    samples,
    metrics: deps.metrics,
    now,
    scanner,
    serviceGuard: createServiceGuards({ ...deps, openPost: () => openPost(deps) }),
    guardStream: (source, guards, context) => guardStream(source, guards, deps, context),
  });
  return {
    ...guardrails,
    close: async () => {
      await Promise.all([samples.close(), pool.close()]);
    },
  };
}

function openPost({ serviceAddresses, network = {} }: LiveGuardrailsDeps): GuardedPost {
  const allows = addressRule(serviceAddresses);
  return createGuardedPost({
    ...network,
    allows,
    bodyBytesMax: webhookResponseBytesMax,
    keep: webhookConnections,
  });
}

export function createGuardrails(compiled: CompiledGuardrails, deps: RequestInspectionDeps): Guardrails {
  const inspect: Guardrails['inspect'] = (call, context) => {
    const applied = compiled.appliedTo(call.caller);
    if (applied === undefined) return { call, output: undefined };
    return new RequestInspection(call, context, applied, deps).inspect();
  };
  return {
    inspect: (call, context) => {
      const loading = compiled.load(call.caller.principal.organization);
      return loading === undefined ? inspect(call, context) : loading.then(() => inspect(call, context));
    },
    guardsResponses: hasOutputGuardrails,
  };
}
