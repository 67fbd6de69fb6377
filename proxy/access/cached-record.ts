// A record in memory, with its subject, the snapshot in which it was read and the time at which it was read. Both are
// signed and travel with the record over every hop; no hop makes a record younger.
import type { FeedState, Position } from './feed-state.ts';
import type { KeyRecord, OrganizationRecord, PlatformRecord, Principal, ScopeRecord } from './principal.ts';

interface CachedAt {
  /** The subject as the feed names it: the hash of a key value, or `<kind>:<id>`. */
  readonly ref: string;
  readonly asOf: Position;
  /** When the control plane confirmed the record: monotonic milliseconds of this process. */
  readonly confirmedAt: number;
  /**
   * The record has the layout before signatures. It is trusted only while the control plane is of a release that does
   * not sign.
   */
  readonly isUnsigned?: true;
}

export type CachedKey = CachedAt & {
  readonly kind: 'key';
  readonly record: KeyRecord;
  readonly scopeRef: string | undefined;
  readonly organizationRef: string;
};
export type CachedScope = CachedAt & { readonly kind: ScopeRecord['kind']; readonly record: ScopeRecord };
export type CachedOrganization = CachedAt & {
  readonly kind: 'organization';
  readonly record: OrganizationRecord;
};
export type CachedPlatform = CachedAt & { readonly kind: 'platform'; readonly record: PlatformRecord };
export type CachedRecord = CachedKey | CachedScope | CachedOrganization | CachedPlatform;
export type RecordKind = CachedRecord['kind'];

/** A record that is requested from a cache or the control plane. */
export interface Subject {
  readonly kind: RecordKind;
  readonly ref: string;
}

export function refOf(kind: Exclude<RecordKind, 'key'>, id: string): string {
  return `${kind}:${id}`;
}

/** The one record that binds every organization. */
export const platformRef = refOf('platform', 'platform');

/** The records behind a key, all from one snapshot. The platform's is among them if the response had it. */
export function cachedRecordsOf(
  keyHash: string,
  principal: Principal,
  at: Pick<CachedAt, 'asOf' | 'confirmedAt'>,
): readonly CachedRecord[] {
  const { key, scope, organization, platform } = principal;
  const cached: CachedRecord[] = [
    cachedKey(keyHash, key, at),
    { ...at, kind: 'organization', ref: refOf('organization', organization.id), record: organization },
  ];
  if (scope !== undefined) cached.push({ ...at, kind: scope.kind, ref: refOf(scope.kind, scope.id), record: scope });
  if (platform !== undefined) cached.push({ ...at, kind: 'platform', ref: platformRef, record: platform });
  return cached;
}

export function cachedKey(keyHash: string, record: KeyRecord, at: Pick<CachedAt, 'asOf' | 'confirmedAt'>): CachedKey {
  const { kind, id } = record.scope;
  return {
    ...at,
    kind: 'key',
    ref: keyHash,
    record,
    scopeRef: kind === 'organization' ? undefined : refOf(kind, id),
    organizationRef: refOf('organization', record.organizationId),
  };
}

/**
 * When the record was last known to be true: at its own confirmation, or at the feed's, because the feed would have
 * named the record if it had changed.
 */
export function lastConfirmed(cached: CachedRecord, feed: FeedState): number {
  return Math.max(cached.confirmedAt, feed.confirmedAt ?? cached.confirmedAt);
}

/** Whether the candidate should replace the existing record of the same subject. */
export function isNewer(candidate: CachedRecord, existing: CachedRecord, feed: FeedState): boolean {
  if (!feed.permits(existing.ref, existing.asOf)) return true;
  const [a, b] = [candidate.asOf, existing.asOf];
  const [inA, inB] = a.epoch === b.epoch ? [a.revision, b.revision] : [feed.counted(a), feed.counted(b)];
  if (inA !== undefined && inB !== undefined && inA !== inB) return inA > inB;
  return candidate.confirmedAt >= existing.confirmedAt;
}
