// Encodes a report of usage as a message of the contract. Values that events have in common are sent once: otherwise a
// thousand events of one key would consist mostly of its names. Zero and empty values are left out.
import type { ReportUsageRequest as WireReport } from '../../proto/generated/gateway/v1/ReportUsageRequest.ts';
import type { ReportUsageResponse__Output } from '../../proto/generated/gateway/v1/ReportUsageResponse.ts';
import type { UsageEvent as WireEvent } from '../../proto/generated/gateway/v1/UsageEvent.ts';
import type { UsageSlice } from '../../proto/generated/gateway/v1/UsageSlice.ts';
import type { UsageSource } from '../../proto/generated/gateway/v1/UsageSource.ts';
import type { UsageSpecial as WireSpecial } from '../../proto/generated/gateway/v1/UsageSpecial.ts';
import { estimateReasons } from '../../proto/words/money.ts';
import type { SpecialUsage } from '../conversation/usage.ts';
import type { LedgerClient, UsageEvent } from '../usage/ledger-client.ts';
import { clock } from './wire-values.ts';

export function encodeReport(events: readonly UsageEvent[]): WireReport {
  const tables = { sources: new Sources(), slices: new LeaseTable(), times: new Times() };
  const encoded = events.map((event) => encodeEvent(event, tables));
  return { events: encoded, sources: tables.sources.rows, slices: tables.slices.rows };
}

export function decodeReport({
  recorded,
  now,
  epoch,
}: ReportUsageResponse__Output): Awaited<ReturnType<LedgerClient['report']>> {
  return { recorded, now: clock(now), epoch };
}

interface Tables {
  readonly sources: Sources;
  readonly slices: LeaseTable;
  readonly times: Times;
}

function encodeEvent(event: UsageEvent, { sources, slices: leases, times }: Tables): WireEvent {
  const wire: WireEvent = {
    id: event.id,
    at: times.text(event.at),
    source: sources.positionOf(event),
    requestId: event.requestId,
    promptTokens: tokens(event.promptTokens),
    completionTokens: tokens(event.completionTokens),
    costNanoUsd: String(event.cost),
    status: event.status,
    latencyMs: Math.round(event.latencyMs),
    attempts: event.attempts,
  };
  if (event.cacheReadTokens > 0) wire.cacheReadTokens = tokens(event.cacheReadTokens);
  if (event.cacheWriteTokens > 0) wire.cacheWriteTokens = tokens(event.cacheWriteTokens);
  if (event.cacheWrite1hTokens > 0) wire.cacheWrite1hTokens = tokens(event.cacheWrite1hTokens);
  if (event.reasoningTokens > 0) wire.reasoningTokens = tokens(event.reasoningTokens);
  if (event.unpriced) wire.unpriced = true;
  if (event.errorSource !== '') wire.errorSource = event.errorSource;
  if (event.errorCode !== '') wire.errorCode = event.errorCode;
  if (event.firstTokenMs !== undefined) wire.firstTokenMs = Math.round(event.firstTokenMs);
  if (event.streamed) wire.streamed = true;
  if (event.estimated) wire.estimated = true;
  if (event.estimateReason !== undefined) wire.estimateReason = estimateReasons.names[event.estimateReason];
  if (event.reportedCost !== undefined) wire.reportedCostNanoUsd = String(event.reportedCost);
  if (event.ordinal !== undefined) wire.ordinal = String(event.ordinal);
  if (event.tags !== undefined) wire.tags = event.tags;
  if (event.special !== undefined) wire.special = encodeSpecial(event.special);
  if (event.charges.length > 0) {
    wire.charges = event.charges.map(({ budgetId, window, escrow }) => ({
      slice: leases.positionOf(budgetId, window),
      escrowNanoUsd: String(escrow),
    }));
  }
  return wire;
}

/** Zero counts are left out here too. */
function encodeSpecial({ serviceTier, region, ...counts }: SpecialUsage): WireSpecial {
  const reported = Object.entries(counts).filter(([, count]) => count > 0);
  return {
    ...(serviceTier !== undefined && { serviceTier }),
    ...(region !== undefined && { region }),
    ...Object.fromEntries(reported.map(([name, count]) => [name, tokens(count)] as const)),
  };
}

const tokensMax = 2 ** 32 - 1;

/** No model has ever processed so many: a provider that reports more is wrong, and the cost is known already. */
export function tokens(count: number): number {
  return Math.min(count, tokensMax);
}

class Sources {
  readonly rows: UsageSource[] = [];
  /** By key: the first event of each of its sources, with the source's position. */
  readonly #known = new Map<string, (readonly [UsageEvent, number])[]>();

  positionOf(event: UsageEvent): number {
    const ofKey = this.#known.get(event.keyId) ?? [];
    for (const [known, position] of ofKey) if (isOfSameSource(known, event)) return position;
    if (ofKey.length === 0) this.#known.set(event.keyId, ofKey);
    const position = this.rows.push(encodeSource(event)) - 1;
    ofKey.push([event, position]);
    return position;
  }
}

function isOfSameSource(a: UsageEvent, b: UsageEvent): boolean {
  return (
    a.session === b.session &&
    a.organizationId === b.organizationId &&
    a.keyId === b.keyId &&
    a.aiSystemId === b.aiSystemId &&
    a.personId === b.personId &&
    a.projectKeyId === b.projectKeyId &&
    a.projectAiSystemId === b.projectAiSystemId &&
    a.projectPersonId === b.projectPersonId &&
    a.provider === b.provider &&
    a.modelAsked === b.modelAsked &&
    a.modelAnswered === b.modelAnswered &&
    a.directKey === b.directKey &&
    a.providerKeyId === b.providerKeyId &&
    a.guardrailId === b.guardrailId &&
    a.shadow === b.shadow
  );
}

function encodeSource(event: UsageEvent): UsageSource {
  const { aiSystemId, personId, projectKeyId, projectAiSystemId, projectPersonId, providerKeyId } = event;
  const { session, organizationId, keyId, provider, modelAsked, modelAnswered, directKey } = event;
  const { guardrailId, shadow } = event;
  return {
    session,
    organizationId,
    keyId,
    provider,
    modelAsked,
    modelAnswered,
    directKey,
    ...(aiSystemId !== undefined && { aiSystemId }),
    ...(personId !== undefined && { personId }),
    ...(projectKeyId !== undefined && { projectKeyId }),
    ...(projectAiSystemId !== undefined && { projectAiSystemId }),
    ...(projectPersonId !== undefined && { projectPersonId }),
    ...(providerKeyId !== undefined && { providerKeyId }),
    ...(guardrailId !== undefined && { guardrailId }),
    ...(shadow !== undefined && { shadow }),
  };
}

class LeaseTable {
  readonly rows: UsageSlice[] = [];
  /** Positions by budget and window. */
  readonly #known = new Map<string, Map<string, number>>();

  positionOf(budgetId: string, window: string): number {
    const windows = this.#known.get(budgetId) ?? new Map<string, number>();
    const known = windows.get(window);
    if (known !== undefined) return known;
    const position = this.rows.push({ budgetId, window }) - 1;
    this.#known.set(budgetId, windows.set(window, position));
    return position;
  }
}

/** Many consecutive events have the same millisecond. */
class Times {
  #at = Number.NaN;
  #text = '';

  text(at: number): string {
    if (at !== this.#at) {
      this.#at = at;
      this.#text = new Date(at).toISOString();
    }
    return this.#text;
  }
}
