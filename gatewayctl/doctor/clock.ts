// Compares this machine's clock and the proxies' clocks with the replica's. The proxies' clocks show which one is
// wrong. Pure.
import { type Finding, failed, gravest, listed, ok, skipped, span, warning } from './finding.ts';
import { hasResponded, type ProbeResult, type StatusResponse } from './probe.ts';
import { nameOf } from './watching-proxies.ts';

const [noticedMs, tooMuchMs] = [5_000, 60_000];

export function checkClock(results: readonly ProbeResult[]): Finding {
  const none = skipped('clock', 'the control plane’s time is not known');
  return gravest(results.filter(hasResponded).map(checkReplica), none);
}

function checkReplica({ status, sentAt, receivedAt }: StatusResponse): Finding {
  const mineMs = (sentAt + receivedAt) / 2 - Date.parse(status.time);
  const proxies = (status.watchers?.watchers ?? []).flatMap((watcher) =>
    watcher.clockAheadMs === undefined ? [] : [{ watcher, aheadMs: Number(watcher.clockAheadMs) }],
  );
  const off = proxies.filter(({ aheadMs }) => Math.abs(aheadMs) > noticedMs);
  const worstMs = Math.max(Math.abs(mineMs), ...off.map(({ aheadMs }) => Math.abs(aheadMs)));
  const precision = `give or take ${span((receivedAt - sentAt) / 2)}`;
  const mine = `this machine’s clock is ${offText(mineMs)} of replica ${status.replica}’s, ${precision}`;
  if (worstMs <= noticedMs) return ok('clock', proxies.length > 0 ? `${mine}; proxies agree` : mine);
  const iAmOff = Math.abs(mineMs) > noticedMs;
  const theirs = off.map(({ watcher, aheadMs }) => `${nameOf(watcher)} is ${offText(aheadMs)}`);
  const says = [...(iAmOff ? [mine] : []), ...(theirs.length > 0 ? [listed(theirs)] : [])].join('; ');
  const advice = `${adviceFor(iAmOff, proxies.length, off.length)}; let machines follow one time service (NTP)`;
  return worstMs > tooMuchMs ? failed('clock', says, advice) : warning('clock', says, advice);
}

function adviceFor(iAmOff: boolean, proxies: number, proxiesOff: number): string {
  if (!iAmOff) return 'set the clocks of these proxies: what they cache is refused as from the future, or too old';
  if (proxies > 0 && proxiesOff === 0)
    return 'it is this machine’s clock that is wrong, for proxies agree with the replica';
  if (proxies > 0 && proxiesOff === proxies)
    return 'it may be the replica’s clock that is wrong, for proxies differ from it as well';
  return 'find out which of the two is wrong';
}

function offText(aheadMs: number): string {
  return `${span(aheadMs)} ${aheadMs < 0 ? 'behind' : 'ahead'}`;
}
