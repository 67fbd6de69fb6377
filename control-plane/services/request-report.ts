// Requests.Report: proxies report rows of requests. A row describes a request, so a text that is too long is cut and one
// that is not understood is left out: no report fails for what a caller sent.
import { dayOf } from '../../common/budget-window.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs } from '../../common/durations.ts';
import { printableLine } from '../../common/key-forms.ts';
import { isUuid, uuidTime } from '../../common/uuid.ts';
import type { ReportedRequest__Output } from '../../proto/generated/gateway/v1/ReportedRequest.ts';
import type { ReportRequestsRequest__Output } from '../../proto/generated/gateway/v1/ReportRequestsRequest.ts';
import type { ReportRequestsResponse } from '../../proto/generated/gateway/v1/ReportRequestsResponse.ts';
import type { RequestFacts__Output } from '../../proto/generated/gateway/v1/RequestFacts.ts';
import type { RequestSource__Output } from '../../proto/generated/gateway/v1/RequestSource.ts';
import { requestResultOf } from '../../proto/words/request-result.ts';
import {
  aheadMsMax,
  lateMsMax,
  type RequestRow,
  type RequestSourceRow,
  recordRequests,
  requestedModel,
} from '../requests/record.ts';
import { tagsText } from '../requests/tags-text.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { invalidRequest } from '../rpc/checked.ts';
import { permissionDenied } from '../rpc/errors.ts';
import type { Store } from '../store/store.ts';
import type { UsageDays } from '../usage/partitions.ts';
import { nanoOf } from './ledger-fields.ts';
import { reportedTags } from './reported-tags.ts';

/**
 * @throws CallError invalid_request, or permission_denied for an organization other than the proxy's;
 * StoreUnavailableError
 */
export type ReportRequests = (
  caller: ProxyCaller,
  request: ReportRequestsRequest__Output,
) => Promise<ReportRequestsResponse>;

export const requestsMax = 1000;

export interface ReportRequestsDeps {
  readonly store: Pick<Store, 'ledger'>;
  readonly days: UsageDays;
  readonly clock: Clock;
  /** Whether the organization's share has room for so many rows; if so they are taken from it. Default: always. */
  readonly admit?: (organizationId: string, rows: number) => boolean;
}

export function createReportRequests({ store, days, clock, admit = () => true }: ReportRequestsDeps): ReportRequests {
  return async (caller, { requests, sources }) => {
    if (requests.length > requestsMax)
      throw invalidRequest([{ field: 'requests', description: `must contain at most ${requestsMax}` }]);
    requireOwn(caller, sources);
    const read = sources.map(readSource);
    const rows = requests.flatMap((request) => readRow(request, read[request.source]) ?? []);
    const admitted = [...Map.groupBy(rows, ({ of }) => of.organization_id)].flatMap(([id, ofOne]) =>
      admit(id, ofOne.length) ? ofOne : [],
    );
    await days.ensureDays(daysOf(admitted, clock.now()));
    const { recorded, unwanted } = await store.ledger((tx) => recordRequests(tx, admitted));
    return { recorded, dropped: requests.length - admitted.length + unwanted };
  };
}

/** @throws CallError */
function requireOwn({ organizationId }: ProxyCaller, sources: readonly RequestSource__Output[]): void {
  if (organizationId === undefined || sources.every((source) => source.organizationId === organizationId)) return;
  throw permissionDenied('a proxy of one organization reports requests of that one only');
}

/** Undefined if it names no organization or key. */
function readSource(source: RequestSource__Output): RequestSourceRow | undefined {
  if (!isUuid(source.organizationId) || !isUuid(source.keyId)) return undefined;
  const model = requestedModel(source);
  return {
    organization_id: source.organizationId,
    key_id: source.keyId,
    ai_system_id: idOrNull(source.aiSystemId),
    person_id: idOrNull(source.personId),
    provider: columnText(source.provider || model.slice(0, Math.max(0, model.indexOf('/')))),
    model: columnText(model),
    route: columnText(source.route),
    source: JSON.stringify(compact(source)),
  };
}

function readRow({ id, facts }: ReportedRequest__Output, source: RequestSourceRow | undefined): RequestRow | undefined {
  if (source === undefined || facts === null || !isUuid(id)) return undefined;
  const limitId = facts.limitId || facts.guardrailId;
  return {
    of: source,
    id,
    at: uuidTime(id),
    request_id: columnText(facts.requestId || id),
    result: requestResultOf(facts),
    error_code: columnText(facts.errorCode),
    decided_by: isUuid(limitId) ? limitId : '',
    facts: factsText(facts),
    tags: tagsText(reportedTags(facts.tags) ?? {}),
  };
}

/** A row says once more what a key looks like, so texts of others are cleaned here too. */
function factsText(facts: RequestFacts__Output): string {
  const present = compact(facts);
  if (facts.errorMessage !== '') present.errorMessage = printableLine(facts.errorMessage, messageLengthMax);
  if (nanoOf(facts.costNanoUsd) === undefined) delete present.costNanoUsd;
  if (facts.tokens !== null) present.tokens = compact(facts.tokens);
  if (facts.estimateReason === 'ESTIMATE_REASON_UNSPECIFIED') delete present.estimateReason;
  // The columns have them.
  delete present.requestId;
  delete present.tags;
  return JSON.stringify(present);
}

export const messageLengthMax = 500;
const textLengthMax = 512;

function bounded(text: string): string {
  return text.length > textLengthMax ? text.slice(0, textLengthMax) : text;
}

/** A text for a column: PostgreSQL takes neither zeros nor halves of characters, and one row must not fail a report. */
function columnText(text: string): string {
  const cut = bounded(text).toWellFormed();
  return cut.includes('\0') ? cut.replaceAll('\0', '') : cut;
}

function idOrNull(text: string | undefined): string | null {
  return text !== undefined && isUuid(text) ? text : null;
}

/** Leaves out what is not there. Texts that are longer than the contract allows are cut. */
function compact(message: object): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = { ...message };
  const present: Record<string, unknown> = {};
  for (const name in given) {
    const value = given[name];
    if (value === '' || value === 0 || value === false || value == null) continue;
    present[name] = typeof value === 'string' ? bounded(value) : value;
  }
  return present;
}

/** Nothing is created for days that are far from this replica's clock; the database's clock refuses their rows. */
function daysOf(rows: readonly RequestRow[], now: number): ReadonlySet<string> {
  const near = rows.filter(({ at }) => at > now - lateMsMax - dayMs && at < now + aheadMsMax + dayMs);
  const times = new Set(near.map(({ at }) => Math.floor(at / dayMs)));
  return new Set([...times].map((day) => dayOf(day * dayMs)));
}
