// Encodes rows of requests as a message of the contract. Fields that rows have in common are sent once; texts of callers
// and vendors are cleaned here, off the request path. Zero and empty values are left out.
import { printableLine } from '../../common/key-forms.ts';
import type { ReportedRequest } from '../../proto/generated/gateway/v1/ReportedRequest.ts';
import type { ReportRequestsRequest } from '../../proto/generated/gateway/v1/ReportRequestsRequest.ts';
import type { RequestFacts } from '../../proto/generated/gateway/v1/RequestFacts.ts';
import type { RequestSource } from '../../proto/generated/gateway/v1/RequestSource.ts';
import { estimateReasons } from '../../proto/words/money.ts';
import type { Usage } from '../conversation/usage.ts';
import type { RequestRow } from '../requests/request-row.ts';
import { tokens } from './wire-report.ts';

export function encodeRequests(rows: readonly RequestRow[]): ReportRequestsRequest {
  const sources = new Sources();
  const sessions = new Map<string, string>();
  const requests = rows.map(
    (row): ReportedRequest => ({
      id: row.id,
      source: sources.positionOf(row),
      facts: encodeFacts(row, sessions),
    }),
  );
  return { requests, sources: sources.rows };
}

const lengths = { message: 500, session: 128, userAgent: 200, name: 256, id: 128 } as const;

/** @param sessions by their text as it was sent: many requests have the same */
function encodeFacts(row: RequestRow, sessions: Map<string, string>): RequestFacts {
  const facts: RequestFacts = {
    status: row.status,
    attempts: row.attempts,
    durationMs: row.durationMs,
    represents: row.represents,
  };
  if (row.requestId !== undefined) facts.requestId = row.requestId;
  if (row.traceId !== '') facts.traceId = row.traceId;
  if (row.session !== '') facts.session = cleanSession(row.session, sessions);
  if (row.status >= 400) Object.assign(facts, encodeFailure(row));
  if (row.guardrails !== '') facts.guardrails = row.guardrails;
  if (row.usage !== undefined) facts.tokens = encodeTokens(row.usage);
  if (row.cost > 0) facts.costNanoUsd = String(row.cost);
  if (row.estimateReason !== undefined) facts.estimateReason = estimateReasons.names[row.estimateReason];
  if (row.firstByteMs !== undefined) facts.firstByteMs = row.firstByteMs;
  if (row.tags !== undefined) facts.tags = Object.fromEntries(row.tags);
  return facts;
}

function cleanSession(session: string, known: Map<string, string>): string {
  const clean = known.get(session) ?? printableLine(session, lengths.session);
  known.set(session, clean);
  return clean;
}

function encodeFailure(row: RequestRow): RequestFacts {
  return {
    errorCode: row.errorCode,
    errorSource: row.errorSource,
    errorMessage: printableLine(row.errorMessage, lengths.message),
    upstreamRequestId: printableLine(row.upstreamRequestId, lengths.id),
    limitId: row.limitId,
    guardrailId: row.guardrailId,
  };
}

function encodeTokens(usage: Usage) {
  return {
    prompt: tokens(usage.promptTokens),
    completion: tokens(usage.completionTokens),
    ...(usage.cacheReadTokens > 0 && { cacheRead: tokens(usage.cacheReadTokens) }),
    ...(usage.cacheWriteTokens > 0 && { cacheWrite: tokens(usage.cacheWriteTokens) }),
    ...(usage.cacheWrite1hTokens > 0 && { cacheWrite1h: tokens(usage.cacheWrite1hTokens) }),
    ...(usage.reasoningTokens > 0 && { reasoning: tokens(usage.reasoningTokens) }),
  };
}

class Sources {
  readonly rows: RequestSource[] = [];
  /** By key: the first row of each of its sources, with the source's position. */
  readonly #known = new Map<string, (readonly [RequestRow, number])[]>();

  positionOf(row: RequestRow): number {
    const ofKey = this.#known.get(row.keyId) ?? [];
    // Not all of them: a key may have a source for each request.
    for (const [known, position] of ofKey) if (isOfSameSource(known, row)) return position;
    if (ofKey.length === 0) this.#known.set(row.keyId, ofKey);
    const position = this.rows.push(encodeSource(row)) - 1;
    if (ofKey.length < sourcesOfKeyMax) ofKey.push([row, position]);
    return position;
  }
}

/** Of one key. Further ones are sent with each request: comparing all of them would cost more. */
const sourcesOfKeyMax = 32;

function isOfSameSource(a: RequestRow, b: RequestRow): boolean {
  return (
    a.organizationId === b.organizationId &&
    a.projectKeyId === b.projectKeyId &&
    a.method === b.method &&
    a.path === b.path &&
    a.clientFormat === b.clientFormat &&
    a.userAgent === b.userAgent &&
    a.modelSent === b.modelSent &&
    a.model === b.model &&
    a.modelAnswered === b.modelAnswered &&
    a.route === b.route &&
    a.provider === b.provider &&
    a.providerKeyId === b.providerKeyId &&
    a.directKey === b.directKey &&
    a.streamed === b.streamed &&
    a.cache === b.cache &&
    a.scope?.id === b.scope?.id
  );
}

function encodeSource(row: RequestRow): RequestSource {
  const { organizationId, keyId, scope, projectKeyId, providerKeyId } = row;
  const { method, path, clientFormat, model, route, provider, directKey, streamed, cache } = row;
  return {
    ...{ organizationId, keyId, method, path, clientFormat, model, route, provider, directKey, streamed, cache },
    userAgent: printableLine(row.userAgent, lengths.userAgent),
    modelSent: printableLine(row.modelSent, lengths.name),
    modelAnswered: printableLine(row.modelAnswered, lengths.name),
    ...(scope?.kind === 'ai_system' && { aiSystemId: scope.id }),
    ...(scope?.kind === 'person' && { personId: scope.id }),
    ...(projectKeyId !== undefined && { projectKeyId }),
    ...(providerKeyId !== undefined && { providerKeyId }),
  };
}
