// The audit log verifies itself: periodically one replica verifies the new events, and once a day all of them, in small
// pieces that delay no other work. Then the head is signed and anchored outside the database. This process remembers a
// contradiction: nothing that is written to the database makes it forget.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditAnchor, anchorOf, anchorSignature, type ChainPoint } from '../../common/audit-anchor.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { startPeriodicTask } from '../../common/periodic-task.ts';
import { errorCode } from '../../common/system-errors.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import { beforeFirst, type ChainFlaw, verifySlice } from '../store/audit-chain.ts';
import type { Store } from '../store/store.ts';
import { contradiction, readAnchors, writeAnchor } from './anchors.ts';
import { type AuditCheck, keepCheck, readCheck, takeCheck, writeFlaw, writeIntact } from './checks.ts';

export interface AuditWatchMetrics {
  /** @param verifiedAt in milliseconds; undefined if the log was never verified */
  auditVerified(verdict: { readonly isIntact: boolean; readonly verifiedAt: number | undefined }): void;
  auditAnchorFailed(): void;
}

export interface AuditWatchSettings {
  readonly everyMs: number;
  readonly signingKey: KeyObject | undefined;
  /** The folder for anchor files. */
  readonly folder: string | undefined;
  /** The organization whose webhooks get the anchors. */
  readonly organizationId: string | undefined;
}

export interface AuditWatchDeps extends AuditWatchSettings {
  readonly store: Pick<Store, 'ledger' | 'snapshot'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AuditWatchMetrics;
  readonly timers?: Timers;
}

/** After this time this process verifies the whole log, even if the database reports a later whole check. */
const ownWholeAfterMs = 2 * dayMs;
const lookEveryMs = 60_000;
const keepEveryMs = 60_000;
/** One read and hash of this many rows takes a millisecond or two. */
const sliceRows = 200;
/** A check works for a fifth of its time and rests for four fifths. */
const restsFor = 4;
const restAtLeastMs = 5;
/** How many heads this process remembers. */
const headsMax = 500;
/** How many anchor files are compared with the log: one an hour for a year. */
const filesMax = 10_000;

export function startAuditWatch(deps: AuditWatchDeps): { close(): Promise<void> } {
  const watch = new AuditWatch(deps);
  const { log, timers = systemTimers, everyMs } = deps;
  const task = startPeriodicTask(() => watch.look(), {
    what: 'the check of the audit log',
    everyMs: Math.min(everyMs, lookEveryMs),
    log,
    timers,
  });
  return {
    close: async () => {
      watch.stop();
      await task.close();
    },
  };
}

export class AuditWatch {
  readonly #deps: AuditWatchDeps;
  readonly #lines: Logger;
  readonly #stopped = new AbortController();
  /** Heads that this process has verified. */
  #heads: ChainPoint[] = [];
  #flaw: ChainFlaw | undefined;
  /** When this process last verified the whole log, or else started; by the monotonic clock. */
  #wholeAt: number;

  constructor(deps: AuditWatchDeps) {
    this.#deps = deps;
    this.#wholeAt = deps.clock.monotonic();
    this.#lines = deps.log.child({}, { level: 'info' });
  }

  /** Checks the log if it is due, and reports the stored result to the metrics. @throws StoreUnavailableError */
  async look(): Promise<void> {
    const { store, everyMs, metrics } = this.#deps;
    try {
      const due = await takeCheck(store, everyMs);
      if (due !== undefined) await this.#check(due);
    } catch (error) {
      if (!this.#stopped.signal.aborted) throw error;
      return;
    }
    const { flaw, verified_at } = await readCheck(store);
    const isIntact = flaw === null && this.#flaw === undefined;
    metrics.auditVerified({ isIntact, verifiedAt: verified_at ?? undefined });
  }

  /** A running check ends without a result. Another replica, or the next start, begins it again. */
  stop(): void {
    this.#stopped.abort();
  }

  async #check(last: AuditCheck): Promise<void> {
    const { clock } = this.#deps;
    const isWhole = this.#isWholeDue(last, clock.now());
    const from = isWhole ? beforeFirst : { revision: last.verified_revision, hash: last.verified_hash };
    const walked = await this.#walk(from);
    if (isWhole) this.#wholeAt = clock.monotonic();
    const points = isWhole ? [...this.#heads, ...(await this.#written())] : this.#heads;
    this.#flaw = walked.flaw ?? (await contradiction(this.#deps.store, points));
    if (this.#flaw !== undefined) return await this.#broken(last, this.#flaw);
    this.#remember(walked.reached);
    await this.#intact(last, { head: walked.reached, isWhole });
  }

  #isWholeDue({ flaw, verified_hash, whole_at }: AuditCheck, now: number): boolean {
    const ownAgeMs = this.#deps.clock.monotonic() - this.#wholeAt;
    const isOld = whole_at === null || Math.abs(now - whole_at) >= dayMs;
    return isOld || ownAgeMs >= ownWholeAfterMs || flaw !== null || this.#flaw !== undefined || verified_hash === '';
  }

  async #walk(from: ChainPoint): Promise<{ readonly reached: ChainPoint; readonly flaw: ChainFlaw | undefined }> {
    const { store } = this.#deps;
    let reached = from;
    let kept = performance.now();
    for (;;) {
      const began = performance.now();
      const slice = await store.snapshot((db) => verifySlice(db, reached, sliceRows));
      reached = slice.reached;
      if (slice.isEnd) return { reached, flaw: slice.flaw };
      if (performance.now() - kept > keepEveryMs) {
        await keepCheck(store);
        kept = performance.now();
      }
      const restMs = Math.max(restAtLeastMs, restsFor * (performance.now() - began));
      await sleep(restMs, undefined, { signal: this.#stopped.signal });
    }
  }

  /** @returns the anchors of the folder, except those with a forged signature */
  async #written(): Promise<readonly AuditAnchor[]> {
    const { folder, signingKey, log } = this.#deps;
    if (folder === undefined) return [];
    const keys = signingKey === undefined ? [] : [createPublicKey(signingKey)];
    const anchors = await readAnchors(folder, filesMax).catch((error: unknown) => {
      this.#anchorFailed(error);
      return [];
    });
    const genuine = anchors.filter((anchor) => anchorSignature(anchor, keys) !== 'forged');
    const forged = anchors.length - genuine.length;
    if (forged > 0) log.warn({ forged }, 'files in the folder of audit anchors have a signature that is not genuine');
    return genuine;
  }

  #remember(head: ChainPoint): void {
    if (head.revision === 0 || this.#heads.at(-1)?.revision === head.revision) return;
    this.#heads = [...this.#heads, head].slice(-headsMax);
  }

  async #broken(last: AuditCheck, flaw: ChainFlaw): Promise<void> {
    const { store, clock, log, everyMs, organizationId } = this.#deps;
    log.error({ revision: flaw.revision, reason: flaw.reason }, 'the audit log was tampered with, or has gone back');
    const isNew = last.flaw !== JSON.stringify(flaw);
    const event = isNew ? eventOf('audit.broken', clock.now(), flaw) : undefined;
    await writeFlaw(store, flaw, { everyMs, organizationId, event });
  }

  async #intact(last: AuditCheck, { head, isWhole }: { readonly head: ChainPoint; readonly isWhole: boolean }) {
    const { store, clock, log, everyMs, organizationId, signingKey } = this.#deps;
    if (last.flaw !== null) log.warn({ revision: head.revision }, 'the audit log is intact again');
    const end = { everyMs, organizationId };
    if (head.revision === 0 || head.revision === last.anchored_revision) {
      const found = { head, isWhole, anchoredRevision: last.anchored_revision };
      return await writeIntact(store, found, { ...end, event: undefined });
    }
    const now = clock.now();
    const anchor = anchorOf(head, now, signingKey);
    this.#lines.info({ audit_anchor: anchor }, 'audit anchor');
    const isWritten = await this.#write(anchor);
    // If the folder did not accept the anchor, the next check anchors at every target again. A second anchor does no
    // harm.
    const anchoredRevision = isWritten ? head.revision : last.anchored_revision;
    const event = eventOf('audit.anchored', now, anchor);
    await writeIntact(store, { head, isWhole, anchoredRevision }, { ...end, event });
  }

  async #write(anchor: AuditAnchor): Promise<boolean> {
    const { folder } = this.#deps;
    if (folder === undefined) return true;
    try {
      await writeAnchor(folder, anchor);
      return true;
    } catch (error) {
      this.#anchorFailed(error);
      return false;
    }
  }

  #anchorFailed(error: unknown): void {
    const { folder, log, metrics } = this.#deps;
    metrics.auditAnchorFailed();
    log.warn({ folder, reason: errorCode(error) }, 'the folder of audit anchors cannot be used; trying again');
  }
}

function eventOf(type: string, at: number, data: object) {
  return { type, timestamp: new Date(at).toISOString(), data };
}
