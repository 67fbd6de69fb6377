// Encodes what a proxy reports of its targets.
import type { Clock } from '../../common/clock.ts';
import type { TargetsState } from '../../proto/generated/gateway/v1/TargetsState.ts';
import { targetFailures, targetStates } from '../../proto/words/health.ts';
import type { HealthReport, TargetReport } from '../routing/health-report.ts';

/** The wall clock may be corrected by so much before reported times follow it: equal reports shall look equal. */
const driftMs = 2_000;

/** @returns encodes a report with wall-clock times, in which equal reports are equal */
export function targetsEncoder(clock: Clock): (report: HealthReport) => TargetsState {
  let offsetMs = clock.now() - clock.monotonic();
  return ({ targets, leftOut }) => {
    const current = clock.now() - clock.monotonic();
    if (Math.abs(current - offsetMs) > driftMs) offsetMs = current;
    return { targets: targets.map((target) => encoded(target, offsetMs)), leftOut };
  };
}

function encoded({ organization, model, providerKeyId, state, since, cause }: TargetReport, offsetMs: number) {
  return {
    organizationId: organization,
    state: targetStates.names[state],
    since: new Date(since + offsetMs).toISOString(),
    ...(model !== undefined && { model }),
    ...(providerKeyId !== undefined && { providerKeyId }),
    ...(cause !== undefined && { lastFailure: targetFailures.names[cause] }),
  };
}
