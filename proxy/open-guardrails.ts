// Constructs the guardrails with everything that they call: services at addresses that organizations choose, the
// moderation endpoint, models through the gateway.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import type { OccupiedShare } from '../common/shares.ts';
import { systemTimers } from '../common/timers.ts';
import type { OrganizationRecord } from './access/principal.ts';
import type { IsStopped } from './access/stops.ts';
import type { ControlPlaneClient } from './control-plane/client.ts';
import type { Guardrails } from './guardrails/guardrail.ts';
import { createLiveGuardrails, type ServiceNetwork } from './guardrails/inspection/live-guardrails.ts';
import { ServiceFailedError } from './guardrails/service.ts';
import type { AskModel } from './guardrails/services/model.ts';
import type { LoopScheduler } from './loop-scheduler.ts';
import { openLookups } from './open-lookups.ts';
import type { Upstream } from './open-upstream.ts';
import { signedHeaders } from './providers/credentials/sigv4.ts';
import { gptProvider } from './providers/gpt-provider.ts';
import { managedCloudModels } from './providers/managed-cloud-models.ts';
import type { Provider } from './providers/provider.ts';
import type { ProxySettings } from './settings.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

export interface GuardrailsShared {
  readonly log: Logger;
  readonly background: Background;
  readonly metrics: ProxyMetrics;
  readonly controlPlane: ControlPlaneClient;
  /** Limits look-ups of host names. */
  readonly lookups: OccupiedShare;
  readonly loop: LoopScheduler;
  readonly serviceNetwork?: ServiceNetwork;
}

interface GuardrailCalls extends Upstream {
  readonly askModel: AskModel;
  readonly isStopped: IsStopped;
}

export function openGuardrails(
  settings: ProxySettings,
  { log, background, metrics, controlPlane, lookups, serviceNetwork, loop }: GuardrailsShared,
  { transport, targets, askModel, isStopped }: GuardrailCalls,
  lifecycle: Lifecycle,
): Guardrails {
  const keysOf = (provider: Provider) => (organization: OrganizationRecord) => {
    if (isStopped({ organization }, { provider: provider.name, model: undefined }))
      throw new ServiceFailedError('stopped');
    return targets.stored(organization, provider);
  };
  const network = { resolve: openLookups(settings, lookups).resolve, ...serviceNetwork };
  const { denyCidrs: deny, guardrailAddresses: allow, eventBytesMax, guardrailWindow: window } = settings;
  const guardrails = createLiveGuardrails({
    window,
    eventBytesMax,
    log,
    background,
    loop,
    clock: systemClock,
    timers: systemTimers,
    serviceAddresses: { deny, allow },
    network,
    client: controlPlane.decisions,
    metrics: metrics.guardrails,
    shares: metrics.shares,
    moderation: { transport, targets: keysOf(gptProvider) },
    cloud: {
      targets: keysOf(managedCloudModels),
      sign: signedHeaders,
    },
    askModel,
  });
  lifecycle.onClose('guardrails', () => guardrails.close());
  return guardrails;
}
