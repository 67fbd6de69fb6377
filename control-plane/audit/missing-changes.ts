// Finds the changes that a restore has undone: events of the collected log that the database no longer has. Hashes show
// which events are the same and which lines were altered or are missing. Only lines missing at the end cannot be
// detected, because no event follows them.
import { type AuditEvent, auditHash, chainStart } from '../store/audit-chain.ts';
import { fieldsOf, takesAway } from './revocations.ts';

export interface MissingChanges {
  /** In the order of their times. */
  readonly undone: readonly UndoneChange[];
  /** Defects of the collected lines. If there are any, more changes may be undone than are listed. */
  readonly flaws: readonly string[];
}

export interface UndoneChange {
  readonly event: AuditEvent;
  /**
   * `revocation`: it revoked something that is now in effect again. `repeated`: it was such a change, and has been made
   * again since.
   * `other`: it granted or changed something, or the resource that it revoked something from was created after the
   * backup too.
   */
  readonly kind: 'revocation' | 'repeated' | 'other';
}

/**
 * @param stored the database's events from `needed` on
 * @param shipped the collected events, in any order, possibly repeated
 */
export function missingChanges(stored: readonly AuditEvent[], shipped: readonly AuditEvent[]): MissingChanges {
  const genuine = new Map<string, AuditEvent>();
  const altered: AuditEvent[] = [];
  for (const event of shipped) {
    if (auditHash(event.previous_hash, event) === event.hash) genuine.set(event.hash, event);
    else altered.push(event);
  }
  const kept = new Set(stored.map(({ hash }) => hash));
  const undone = [...genuine.values()].filter(({ hash }) => !kept.has(hash)).sort(byTime);
  const isKnown = (hash: string) => hash === chainStart || kept.has(hash) || genuine.has(hash);
  const made = new Set(undone.filter(makes).map(({ target_id }) => target_id));
  return {
    undone: undone.map((event) => ({ event, kind: kindOf(event, stored, made) })),
    flaws: [
      ...altered.map(({ revision }) => `the line of revision ${revision} was altered: it does not match its hash`),
      ...undone
        .filter(({ previous_hash }) => !isKnown(previous_hash))
        .map(({ revision }) => `lines are missing right before revision ${revision}`),
    ],
  };
}

/** @returns the revision after which missingChanges needs the database's events */
export function needed(shipped: readonly AuditEvent[]): number {
  return shipped.reduce((least, { revision }) => Math.min(least, revision - 2), Number.MAX_SAFE_INTEGER);
}

function kindOf(event: AuditEvent, stored: readonly AuditEvent[], made: ReadonlySet<string>): UndoneChange['kind'] {
  if (!takesAway(event) || hasVanished(event, made)) return 'other';
  return stored.some((other) => other.at >= event.at && repeats(other, event)) ? 'repeated' : 'revocation';
}

/** A resource that was created after the backup no longer exists, so nothing can be revoked from it. */
function hasVanished({ action, organization_id, target_id }: AuditEvent, made: ReadonlySet<string>): boolean {
  return (made.has(target_id) && !isMaking(action)) || (organization_id !== null && made.has(organization_id));
}

function makes({ action }: AuditEvent): boolean {
  return isMaking(action);
}

function isMaking(action: string): boolean {
  return action.endsWith('.Create') || action === 'OperatorTokens.Bootstrap';
}

/** A resource that was created again has another id and the same content. */
function repeats(other: AuditEvent, event: AuditEvent): boolean {
  if (other.action !== event.action) return false;
  return isMaking(event.action) ? content(other) === content(event) : other.target_id === event.target_id;
}

function content({ after, revision: at }: AuditEvent): string {
  const { id, revision, createdAt, ...rest } = fieldsOf(after, at);
  return JSON.stringify(rest);
}

function byTime(a: AuditEvent, b: AuditEvent): number {
  return a.at - b.at || a.revision - b.revision;
}
