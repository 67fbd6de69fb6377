// The row of a finished request, as it waits for its report. It is made on the request path, so texts are cleaned later,
// when the report is written, and nothing in it refers to the request's texts.
import type { Usage } from '../conversation/usage.ts';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import { sessionHeaders } from '../http/session.ts';
import { reasonText, shownPath } from '../http/shown-texts.ts';

/** `RequestSource` and `ReportedRequest` of requests.proto in one, which documents the fields. */
export interface RequestRow {
  readonly id: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly scope: RequestRecord['scope'];
  readonly projectKeyId: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly clientFormat: string;
  /** As it was sent, bounded. */
  readonly userAgent: string;
  /** As it was sent, bounded. */
  readonly modelSent: string;
  readonly model: string;
  readonly modelAnswered: string;
  readonly route: string;
  readonly provider: string;
  readonly providerKeyId: string | undefined;
  readonly directKey: boolean;
  readonly streamed: boolean;
  readonly cache: string;
  /** Undefined: it is the row's id. */
  readonly requestId: string | undefined;
  readonly traceId: string;
  /** As it was sent, bounded. */
  readonly session: string;
  readonly status: number;
  readonly errorCode: string;
  readonly errorSource: string;
  /** Not cleaned yet. */
  readonly errorMessage: string;
  readonly upstreamRequestId: string;
  readonly limitId: string;
  readonly guardrailId: string;
  readonly guardrails: string;
  readonly attempts: number;
  readonly usage: Usage | undefined;
  /** Nano-dollars. */
  readonly cost: number;
  readonly estimateReason: RequestRecord['estimateReason'];
  readonly durationMs: number;
  readonly firstByteMs: number | undefined;
  readonly tags: RequestRecord['tags'];
  /** Requests that it represents: a flood of equal refusals is sampled. */
  represents: number;
}

const agentMax = 200;
const sessionMax = 128;
const textMax = 400;

/**
 * @param durationMs until the response was finished, or its caller left
 * @param now milliseconds since 1970
 * @returns undefined if the caller is unknown, or its organization records no requests
 */
export function rowOf(exchange: Exchange, durationMs: number, now: number): RequestRow | undefined {
  const { record, request, headers, startedAt } = exchange;
  const { organizationId, keyId, isRecorded, provider = '', model, firstByteAt } = record;
  if (!isRecorded || organizationId === undefined || keyId === undefined) return undefined;
  const id = exchange.rowId(now);
  return {
    id,
    organizationId,
    keyId,
    scope: record.scope,
    projectKeyId: record.projectKeyId,
    method: request.method ?? '',
    path: pathOf(request.url ?? ''),
    clientFormat: record.clientFormat ?? '',
    userAgent: bounded(headers.get('user-agent'), agentMax),
    modelSent: bounded(record.modelSent ?? (model === undefined ? record.modelRequested : undefined), textMax),
    model: model === undefined ? (record.refusedModel ?? '') : `${provider}/${model}`,
    modelAnswered: bounded(record.modelAnswered, textMax),
    route: record.modelRoute ?? '',
    provider,
    providerKeyId: record.providerKeyId,
    directKey: record.direct,
    streamed: record.streamed,
    cache: record.cache ?? '',
    requestId: id === exchange.id ? undefined : exchange.id,
    traceId: traceIdOf(headers.get('traceparent')),
    session: sessionOf(exchange),
    status: record.status,
    ...failureOf(record),
    guardrails: record.guardrailsNotPassed ?? '',
    attempts: record.attempts,
    usage: record.usage,
    cost: record.costNano,
    estimateReason: record.estimateReason,
    durationMs: Math.round(durationMs),
    firstByteMs: firstByteAt === undefined ? undefined : Math.round(firstByteAt - startedAt),
    tags: record.tags,
    represents: 1,
  };
}

const noFailure = {
  ...{ errorCode: '', errorSource: '', errorMessage: '', upstreamRequestId: '', limitId: '', guardrailId: '' },
} as const;

function failureOf(record: RequestRecord): Pick<RequestRow, keyof typeof noFailure> {
  if (record.status < 400) return noFailure;
  return {
    errorCode: record.errorCode ?? '',
    errorSource: record.errorSource ?? '',
    errorMessage: messageOf(record),
    upstreamRequestId: record.upstreamRequestId ?? '',
    limitId: record.limitId ?? '',
    guardrailId: record.guardrailId ?? '',
  };
}

function bounded(text: string | undefined, max: number): string {
  if (text === undefined) return '';
  return text.length > max ? text.slice(0, max) : text;
}

/** Nearly all requests have one of a few paths, and looking for keys in one costs more than the rest of a row. */
const shownPaths = new Map<string, string>();
const pathsMax = 256;
const cachedLengthMax = 200;

function pathOf(url: string): string {
  const known = shownPaths.get(url);
  if (known !== undefined) return known;
  const path = shownPath(url);
  if (url.length > cachedLengthMax) return path;
  if (shownPaths.size >= pathsMax) shownPaths.clear();
  shownPaths.set(url, path);
  return path;
}

/** W3C Trace Context: the second field. */
function traceIdOf(traceparent: string | undefined): string {
  if (traceparent === undefined) return '';
  const [, traceId = ''] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(traceparent) ?? [];
  return traceId;
}

function sessionOf({ headers }: Exchange): string {
  for (const name of sessionHeaders) {
    const value = headers.get(name);
    if (value) return bounded(value, sessionMax);
  }
  return '';
}

/**
 * A provider's own message may repeat parts of the request, so only what may be logged of it is recorded. The gateway's
 * messages never do.
 */
function messageOf({ errorSource, errorCode, errorMessage = '', errorParam, cause }: RequestRecord): string {
  if (errorSource === 'provider')
    return `${reasonText(cause)}${errorParam === undefined ? '' : `; field ${errorParam}`}`;
  return isOfVendor(errorCode) && cause !== undefined ? `${errorMessage}: ${reasonText(cause)}` : errorMessage;
}

function isOfVendor(code: string | undefined): boolean {
  return code === 'upstream_authentication_failed' || code === 'upstream_protocol_error';
}
