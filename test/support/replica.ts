// Defaults for a replica's data that a test does not check.
import { catalogState } from '../../catalog/in-force.ts';
import { systemClock } from '../../common/clock.ts';
import type { GuardedPost } from '../../common/guarded-request.ts';
import type { GuardrailWork } from '../../control-plane/guardrails/guardrail-work.ts';
import type { Replica } from '../../control-plane/services/method.ts';
import type { MetricsDeps } from '../../control-plane/telemetry/metrics.ts';
import type { KeyTests } from '../../control-plane/vendors/key-tests.ts';

export const someReplica: Replica = {
  ...{ version: '0.0.0', host: 'replica', startedAt: 0, database: 'sqlite', clock: systemClock },
  feed: { position: { epoch: 'epoch', revision: 0 }, readAt: 0 },
  watchers: () => [],
  selectors: () => undefined,
  catalog: () => catalogState({ isRejected: false }),
  recordKey: () => '0123456789abcdef',
  permissionsOf: () => [],
  linkBase: () => undefined,
};

/** For a replica that compiles no guardrails. */
export const noGuardrailWork: GuardrailWork = {
  compile: () => Promise.reject(new Error('unused')),
  try: () => Promise.reject(new Error('unused')),
  close: async () => undefined,
};

/** For a replica that tests no provider keys. */
export const noKeyTests: KeyTests = { test: () => Promise.reject(new Error('unused')) };
/** For a replica that sends nothing to receivers of webhooks. */
export const noPost: GuardedPost = () => Promise.reject(new Error('unused'));

/** Values of a replica's metrics at each scrape. */
export const noGauges: MetricsDeps = {
  feedRevision: () => 0,
  catalog: { ageSeconds: () => 0, isRejected: () => false },
  auditVerifyEveryMs: 3_600_000,
};
