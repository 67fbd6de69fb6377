// Checks when the certificates of a program end, from its own metrics and with the thresholds of the alerts. Pure.
import { dayMs } from '../../common/durations.ts';
import { type Finding, failed, gravest, ok, span, warning } from './finding.ts';
import { readMetrics } from './metrics.ts';
import type { AdminSeen } from './probe.ts';

const metric = 'gateway_certificate_not_after_seconds';
const [soonMs, urgentMs] = [21 * dayMs, 7 * dayMs];

/** Undefined: the program reports no certificates. @param now milliseconds since 1970 */
export function checkCertificates(url: string, seen: AdminSeen, now: number): Finding | undefined {
  if ('error' in seen || seen.metrics === undefined) return undefined;
  const ends = readMetrics(seen.metrics).filter(({ name }) => name === metric);
  const verdicts = ends
    .toSorted((one, other) => one.value - other.value)
    .map(({ labels, value }) => checkOne(`${url}: ${labels.use ?? 'a certificate'}`, value * 1000 - now));
  const [first] = verdicts;
  return first && gravest(verdicts, first);
}

function checkOne(which: string, leftMs: number): Finding {
  const advice =
    'renew it: where cert-manager or the keeper should have, look at the Certificate or at the keeper’s log; else run plain.sh';
  if (leftMs <= 0) return failed('certificates', `${which} has ended ${span(leftMs)} ago`, advice);
  const says = `${which} ends in ${span(leftMs)}`;
  if (leftMs < urgentMs) return failed('certificates', says, advice);
  return leftMs < soonMs ? warning('certificates', says, advice) : ok('certificates', says);
}
