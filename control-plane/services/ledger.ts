// The ledger's service for proxies, in the contract's messages and independent of the transport. It checks requests;
// ledger/ decides what is recorded.
import type { Background } from '../../common/background.ts';
import { dayOf } from '../../common/budget-window.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { CloseSessionRequest__Output } from '../../proto/generated/gateway/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse } from '../../proto/generated/gateway/v1/CloseSessionResponse.ts';
import type { DrawRequest__Output } from '../../proto/generated/gateway/v1/DrawRequest.ts';
import type { DrawResponse } from '../../proto/generated/gateway/v1/DrawResponse.ts';
import type { KeepSessionRequest__Output } from '../../proto/generated/gateway/v1/KeepSessionRequest.ts';
import type { KeepSessionResponse } from '../../proto/generated/gateway/v1/KeepSessionResponse.ts';
import type { ReportUsageRequest__Output } from '../../proto/generated/gateway/v1/ReportUsageRequest.ts';
import type { ReportUsageResponse } from '../../proto/generated/gateway/v1/ReportUsageResponse.ts';
import type { ReturnRequest__Output } from '../../proto/generated/gateway/v1/ReturnRequest.ts';
import type { ReturnResponse } from '../../proto/generated/gateway/v1/ReturnResponse.ts';
import { acquireOutcomes } from '../../proto/words/money.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import { drawing } from '../ledger/acquire.ts';
import { closeSession, type SessionEnd } from '../ledger/close-session.ts';
import { LeaseBatches } from '../ledger/lease-work.ts';
import { windowKey } from '../ledger/matching.ts';
import type { LedgerMetrics } from '../ledger/metrics.ts';
import { returning } from '../ledger/release-lease.ts';
import type { ReportedEvent } from '../ledger/report.ts';
import { createReportBatches, eventsMax } from '../ledger/report-batches.ts';
import { createSessionTouches, keepSession } from '../ledger/sessions.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { permissionDenied, type Violation } from '../rpc/errors.ts';
import type { LedgerTransaction, Reclaim, Store } from '../store/store.ts';
import type { UsageDays } from '../usage/partitions.ts';
import { budgetId, counterValue, ledgerWindow, nanoOf, nanoUsd, seq } from './ledger-fields.ts';
import { readReport } from './usage-report.ts';

/**
 * Every method throws CallError invalid_request, or not_found for the session of another proxy, and
 * StoreUnavailableError. A report throws permission_denied for usage of an organization other than its proxy's.
 */
export interface LedgerService {
  keepSession(caller: ProxyCaller, request: KeepSessionRequest__Output): Promise<KeepSessionResponse>;
  draw(caller: ProxyCaller, request: DrawRequest__Output): Promise<DrawResponse>;
  release(caller: ProxyCaller, request: ReturnRequest__Output): Promise<ReturnResponse>;
  reportUsage(caller: ProxyCaller, request: ReportUsageRequest__Output): Promise<ReportUsageResponse>;
  closeSession(caller: ProxyCaller, request: CloseSessionRequest__Output): Promise<CloseSessionResponse>;
}

export interface LedgerDeps {
  readonly store: Pick<Store, 'ledger' | 'reclaim'>;
  readonly days: UsageDays;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long rows of usage are kept. */
  readonly usageKeptMs: number;
  readonly metrics: Pick<LedgerMetrics, 'acquired' | 'reported' | 'sessionClosed'>;
  readonly background: Background;
}

export function createLedgerService(deps: LedgerDeps): LedgerService {
  const { store, clock, metrics } = deps;
  const touches = createSessionTouches(store, clock);
  const leases = new LeaseBatches(store);
  const reports = createReportBatches(store);
  const reclaim = createReclaims(deps);
  return {
    async keepSession(caller, request) {
      const { session } = checked({ session: id(request.session) });
      const { value, ...reported } = await timed(store, (tx) => keepSession(tx, caller, session));
      const { open, sessions, leased } = value;
      return { open, sessions, leasedNanoUsd: String(leased), ...reported };
    },
    async draw(caller, request) {
      const requested = checkedAcquire(request);
      await touches.touch(caller, [requested.session]);
      const { response, now, epoch } = await leases.run(drawing(caller, requested));
      const { attainable, amount, outcome, granted, reclaimOf } = response;
      metrics.acquired(outcome);
      if (reclaimOf !== undefined) {
        reclaim({ budgetId: requested.budgetId, organizationId: reclaimOf, window: requested.window });
      }
      return {
        outcome: acquireOutcomes.names[outcome],
        grantedNanoUsd: String(granted),
        now: timeText(now),
        epoch,
        ...(attainable !== undefined && { attainableNanoUsd: String(attainable) }),
        ...(amount !== undefined && { amountNanoUsd: String(amount) }),
      };
    },
    async release(caller, request) {
      const { amount_nano_usd: amount, ...fields } = checked({
        ...operationFields(request),
        amount_nano_usd: nanoUsd(0)(request.amountNanoUsd),
      });
      const operation = { ...operationOf(fields), amount };
      await touches.touch(caller, [operation.session]);
      const { response, now, epoch } = await leases.run(returning(caller, operation));
      return { returnedNanoUsd: String(response), now: timeText(now), epoch };
    },
    async reportUsage(caller, request) {
      const events = checkedEvents(request);
      requireOwnUsage(caller, events);
      await touches.touch(caller, sessionsOf(events));
      await deps.days.ensureDays(daysToMake(events, { now: clock.now(), keptMs: deps.usageKeptMs }));
      const { response, now, epoch } = await reports.run({
        events,
        boundTo: caller.organizationId,
        accept: (at) => requireOfThisTime(events, { now: at, keptMs: deps.usageKeptMs }),
      });
      metrics.reported(response);
      if (response.unknown > 0) {
        deps.log.warn(
          { proxy: caller.id, events: response.unknown },
          'events of organizations that are not there were dropped',
        );
      }
      return { recorded: response.recorded, now: timeText(now), epoch };
    },
    async closeSession(caller, request) {
      const end = checkedEnd(request);
      const { freed, now, epoch } = await closeSession(store, caller, end);
      metrics.sessionClosed(freed);
      return { freedNanoUsd: String(freed), now: timeText(now), epoch };
    },
  };
}

/** A transaction's result, with the database's clock and epoch. */
async function timed<T>(store: Pick<Store, 'ledger'>, work: (tx: LedgerTransaction) => Promise<T>) {
  return await store.ledger(async (tx) => ({
    value: await work(tx),
    now: timeText(tx.now),
    epoch: tx.epoch,
  }));
}

function operationFields(request: DrawRequest__Output | ReturnRequest__Output) {
  return {
    session: id(request.session),
    budget_id: budgetId(request.budgetId),
    window: ledgerWindow(request.window),
    seq: seq(request.seq),
    shut_nano_usd: nanoUsd(0)(request.shutNanoUsd ?? '0'),
  };
}

interface OperationFields {
  readonly session: string;
  readonly budget_id: string;
  readonly window: string;
  readonly seq: number;
  readonly shut_nano_usd: number;
}

function operationOf({ session, budget_id: budgetId, window, seq, shut_nano_usd: shut }: OperationFields) {
  return { session, budgetId, window, seq, shut };
}

function checkedAcquire(request: DrawRequest__Output) {
  const {
    need_nano_usd: need,
    want_nano_usd: want,
    counter_value: value,
    ...fields
  } = checked({
    ...operationFields(request),
    counter_value: counterValue(request.budgetId, request.counterValue),
    need_nano_usd: nanoUsd(nanoOf(request.wantNanoUsd) === 0 ? 0 : 1)(request.needNanoUsd),
    want_nano_usd: nanoUsd(nanoOf(request.needNanoUsd) ?? 1)(request.wantNanoUsd),
  });
  return { ...operationOf(fields), need, want, counterValue: value };
}

const outstandingMax = 1000;

function checkedEnd({ session, outstanding, andOthers }: CloseSessionRequest__Output): SessionEnd {
  if (outstanding.length > outstandingMax) {
    throw invalidRequest([{ field: 'outstanding', description: `must contain at most ${outstandingMax}` }]);
  }
  const named = outstanding.map((lease) =>
    checked({
      budget_id: budgetId(lease.budgetId),
      window: ledgerWindow(lease.window),
      outstanding_nano_usd: nanoUsd(0)(lease.outstandingNanoUsd),
    }),
  );
  return {
    session: checked({ session: id(session) }).session,
    outstanding: new Map(named.map((lease) => [windowKey(lease.budget_id, lease.window), lease.outstanding_nano_usd])),
    andOthers,
  };
}

// At most this many problems are reported; the others are similar.
const violationsMax = 20;

function checkedEvents(request: ReportUsageRequest__Output): readonly ReportedEvent[] {
  if (request.events.length > eventsMax) {
    throw invalidRequest([{ field: 'events', description: `must contain at most ${eventsMax}` }]);
  }
  const violations: Violation[] = [];
  const read = readReport(request, violations);
  if (violations.length > 0) throw invalidRequest(violations.slice(0, violationsMax));
  return read;
}

/**
 * Refuses events instead of dropping them: a proxy forgets acknowledged events, but another proxy can still report
 * refused ones.
 * @throws CallError
 */
function requireOwnUsage({ organizationId }: ProxyCaller, events: readonly ReportedEvent[]): void {
  if (organizationId === undefined) return;
  if (events.some(({ row }) => row.organization_id !== organizationId)) {
    throw permissionDenied('a proxy of one organization reports usage of that one only');
  }
}

const ageMaxMs = 40 * dayMs;
/** The database's clock may have been ahead and was set back since. Usage with times from then still counts. */
const aheadMaxMs = ageMaxMs;

interface Keeping {
  /** By the database's clock. */
  readonly now: number;
  /** How long rows of usage are kept. */
  readonly keptMs: number;
}

/** Refuses events of a day whose rows were deleted, because they could be recorded twice. @throws CallError */
function requireOfThisTime(events: readonly ReportedEvent[], { now, keptMs }: Keeping): void {
  const firstKept = dayOf(now - keptMs);
  const violations = events.flatMap(({ row: { at, day } }, index): Violation[] => {
    const violation = (description: string) => [{ field: `events[${index}].at`, description }];
    if (at > now + aheadMaxMs) return violation('must not be more than 40 days ahead');
    if (at < now - ageMaxMs) return violation('must not be more than 40 days ago');
    return day < firstKept ? violation('must be of a day whose usage is still kept') : [];
  });
  if (violations.length > 0) throw invalidRequest(violations.slice(0, violationsMax));
}

/**
 * Leaves out days that are far from this replica's clock: nothing is created for them, and the database's clock refuses
 * their events.
 */
function daysToMake(events: readonly ReportedEvent[], { now, keptMs }: Keeping): ReadonlySet<string> {
  const [first, last] = [dayOf(now - Math.min(keptMs, ageMaxMs + dayMs)), dayOf(now + aheadMaxMs)];
  return new Set(events.map(({ row }) => row.day).filter((day) => day >= first && day <= last));
}

function sessionsOf(events: readonly ReportedEvent[]): readonly string[] {
  return [...new Set(events.map(({ row }) => row.session_id))].filter((session) => session !== '');
}

const reclaimEveryMs = 200;
const reclaimsMax = 10_000;

/** Requests other sessions to release money of a window, at most five times a second. */
function createReclaims({ store, clock, background }: LedgerDeps): (reclaim: Reclaim) => void {
  const reclaimed = lruCache<number>(reclaimsMax);
  return (reclaim) => {
    const at = clock.monotonic();
    const key = `${reclaim.budgetId} ${reclaim.window}`;
    if (at - (reclaimed.get(key) ?? Number.NEGATIVE_INFINITY) < reclaimEveryMs) return;
    reclaimed.set(key, at);
    background('recall', store.reclaim(reclaim));
  };
}
