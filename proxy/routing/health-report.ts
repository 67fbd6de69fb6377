// What a proxy reports of its targets to operators: those that it has ejected or that a vendor limits, and the healthy
// ones if all fit. Each entry is of one organization, as its own requests experience the target, so that the control
// plane can show it to this organization and to no other.
//
// Who can make this wrong on purpose? An organization fills its own 16 entries and no others'. If more than 512 entries
// are out, each organization has its first one in the report before any has its second.
import type { Ejection } from './ejection.ts';
import type { Exclusion } from './exclusion.ts';
import type { FailureCause } from './health-events.ts';
import type { SharedHosts } from './shared-hosts.ts';
import { type HostHealth, type KeyHealth, type OrganizationHealth, recentMs } from './target-health.ts';

export const reportedTargetsMax = 512;
const outOfOrganizationMax = 16;

export interface TargetReport {
  readonly organization: string;
  /** The canonical name; undefined: all models of the provider key. */
  readonly model: string | undefined;
  readonly providerKeyId: string | undefined;
  readonly state: 'healthy' | 'ejected' | 'limited';
  /** Monotonic. */
  readonly since: number;
  /** Undefined for healthy targets. */
  readonly cause: FailureCause | undefined;
}

export interface HealthReport {
  /** Sorted, so that equal reports look equal. */
  readonly targets: readonly TargetReport[];
  /** Ejected and limited ones that the list does not have. */
  readonly leftOut: number;
}

/**
 * @param organizations by id
 * @param shared the hosts that are out for organizations without an ejection of their own
 * @param now monotonic
 */
export function healthReport(
  organizations: Iterable<readonly [string, OrganizationHealth]>,
  shared: SharedHosts,
  now: number,
): HealthReport {
  const out: (readonly TargetReport[])[] = [];
  const all: (readonly [string, OrganizationHealth])[] = [];
  let hosts = 0;
  let found = 0;
  for (const [organization, health] of organizations) {
    hosts += health.hosts.size;
    all.push([organization, health]);
    if (!health.mayHaveOut && shared.size === 0) continue;
    const targets = [...hostsOut(organization, health, shared, now), ...keysOut(organization, health, now)];
    health.mayHaveOut = targets.length > 0;
    found += targets.length;
    if (targets.length > 0) out.push(targets.slice(0, outOfOrganizationMax));
  }
  const reported = inRounds(out, reportedTargetsMax);
  const fit = reported.length + hosts <= reportedTargetsMax;
  const targets = fit
    ? [...reported, ...all.flatMap(([id, health]) => [...healthyHosts(id, health, shared, now)])]
    : reported;
  return { targets: targets.sort(byName), leftOut: found - reported.length };
}

function* hostsOut(organization: string, { hosts }: OrganizationHealth, shared: SharedHosts, now: number) {
  for (const { first: origin, second: model, value } of hosts.entries()) {
    const ejection = ejectionOf(value, shared.size === 0 ? undefined : shared.get(origin, model), now);
    if (ejection === undefined) continue;
    const { beganAt: since, cause } = ejection;
    yield { organization, model, providerKeyId: undefined, state: 'ejected', since, cause } as const;
  }
}

function ejectionOf({ ejection }: HostHealth, ofAll: Ejection | undefined, now: number): Ejection | undefined {
  if (ejection.exclusion.isOn) return isRecent(ejection.exclusion, now) ? ejection : undefined;
  return ofAll !== undefined && isRecent(ofAll.exclusion, now) ? ofAll : undefined;
}

/** One whose trial is due, but which nobody has called for minutes, says nothing of now. */
function isRecent(exclusion: Exclusion, now: number): boolean {
  return exclusion.isOn && now - exclusion.endsAt < recentMs;
}

function* keysOut(organization: string, { keys }: OrganizationHealth, now: number) {
  for (const { first: providerKeyId, second, value } of keys.entries()) {
    const out = keyOut(value, now);
    if (out !== undefined) yield { organization, model: second || undefined, providerKeyId, ...out };
  }
}

function keyOut(key: KeyHealth, now: number): Pick<TargetReport, 'state' | 'since' | 'cause'> | undefined {
  const { refusal, exclusion } = key;
  if (refusal !== undefined && isRecent(exclusion, now)) return { state: 'ejected', ...refusal };
  return key.isLimited(now) ? { state: 'limited', since: key.limitedSince, cause: 'rate' } : undefined;
}

function* healthyHosts(
  organization: string,
  { hosts }: OrganizationHealth,
  shared: SharedHosts,
  now: number,
): Generator<TargetReport, void> {
  for (const { first: origin, second: model, value } of hosts.entries()) {
    if (value.ejection.exclusion.isOn || ejectionOf(value, shared.get(origin, model), now) !== undefined) continue;
    if (now - value.lastSuccessAt >= recentMs) continue;
    const { healthySince: since } = value;
    yield { organization, model, providerKeyId: undefined, state: 'healthy', since, cause: undefined };
  }
}

/** The first of each list, then the second of each, until there are enough. */
function inRounds<T>(lists: readonly (readonly T[])[], max: number): T[] {
  const chosen: T[] = [];
  for (let round = 0; chosen.length < max; round++) {
    const next = lists.flatMap((list) => list.slice(round, round + 1)).slice(0, max - chosen.length);
    if (next.length === 0) break;
    chosen.push(...next);
  }
  return chosen;
}

function byName(a: TargetReport, b: TargetReport): number {
  return order(a.organization, b.organization) || order(a.model ?? '', b.model ?? '') || order(keyId(a), keyId(b));
}

function keyId({ providerKeyId = '' }: TargetReport): string {
  return providerKeyId;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
