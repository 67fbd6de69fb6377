// What proxies report of their targets, as this replica keeps it: bounded, checked, and by organization. A proxy that is
// bound to one organization reports for no other.
import { isUuid } from '../../common/uuid.ts';
import type { TargetReport__Output } from '../../proto/generated/gateway/v1/TargetReport.ts';
import type { TargetsState__Output } from '../../proto/generated/gateway/v1/TargetsState.ts';
import { type TargetFailure, type TargetState, targetFailures, targetStates } from '../../proto/words/health.ts';

/** As many as a proxy of this version sends. */
const targetsMax = 512;
const modelMax = 300;

export interface ReportedTarget {
  /** `<provider>/<model>`; undefined: all models of the provider key. */
  readonly model: string | undefined;
  readonly providerKeyId: string | undefined;
  readonly state: TargetState;
  /** Milliseconds since 1970, not in the future. */
  readonly since: number;
  /** Undefined for healthy targets, and for classes of newer proxies. */
  readonly failure: TargetFailure | undefined;
}

export interface ReportedTargets {
  /** By the id of the organization. */
  readonly byOrganization: ReadonlyMap<string, readonly ReportedTarget[]>;
  readonly leftOut: number;
}

/**
 * @param boundTo the organization to which the proxy is bound; undefined: it serves all
 * @param now milliseconds since 1970
 */
export function reportedTargets(
  { targets, leftOut }: TargetsState__Output,
  boundTo: string | undefined,
  now: number,
): ReportedTargets {
  const byOrganization = new Map<string, ReportedTarget[]>();
  for (const report of targets.slice(0, targetsMax)) {
    const { organizationId } = report;
    const target = readTarget(report, now);
    if (target === undefined || !isUuid(organizationId) || (boundTo !== undefined && boundTo !== organizationId))
      continue;
    const others = byOrganization.get(organizationId);
    if (others === undefined) byOrganization.set(organizationId, [target]);
    else others.push(target);
  }
  return { byOrganization, leftOut: leftOut + Math.max(0, targets.length - targetsMax) };
}

function readTarget(report: TargetReport__Output, now: number): ReportedTarget | undefined {
  const { model, providerKeyId, since: sinceText } = report;
  const state = targetStates.wordOf(report.state);
  const since = Date.parse(sinceText);
  if (state === undefined || Number.isNaN(since)) return undefined;
  const isModel = model.length <= modelMax && /^[\x21-\x7e]+\/[\x21-\x7e]+$/.test(model);
  const isKey = isUuid(providerKeyId);
  if ((model !== '' && !isModel) || (providerKeyId !== '' && !isKey) || (model === '' && !isKey)) return undefined;
  return {
    model: model || undefined,
    providerKeyId: providerKeyId || undefined,
    state,
    since: Math.min(since, now),
    failure: targetFailures.wordOf(report.lastFailure),
  };
}
