// The one log line of a request, written when its response is truly finished. It contains no prompts, responses or
// credentials. Error messages of others are limited to one line, without anything that looks like a key.
import { printableLine } from '../../common/key-forms.ts';
import { createLineWriter, errorFields, type LineLevel, type Logger } from '../../common/logger.ts';
import { withoutRepeatedKeys } from '../access/repeated-keys.ts';
import type { ErrorCode } from '../errors.ts';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import { reasonText, shownPath } from '../http/shown-texts.ts';

export type AccessLog = (exchange: Exchange, durationMs: number) => void;

export function createAccessLog(log: Logger): AccessLog {
  const write = createLineWriter(log);
  return ({ record, request, headers, id, address, startedAt }, durationMs) => {
    const { usage, firstByteAt } = record;
    // Built by hand: a serializer took as long as the request's authentication. Fields without a value are omitted.
    write(
      levelOf(record),
      text('request_id', id).slice(1) +
        text('route', record.route) +
        text('client_format', record.clientFormat) +
        (record.route === 'none' ? target(request, headers) : '') +
        number('status', record.status) +
        (record.status >= 400 ? failure(record) + text('address', address || undefined) : '') +
        text('organization_id', record.organizationId) +
        text('key_id', record.keyId) +
        text('project_key_id', record.projectKeyId) +
        text('provider', record.provider) +
        text('provider_key_id', record.providerKeyId) +
        text('model', record.model) +
        text('model_sent', record.modelSent) +
        text('model_route', record.modelRoute) +
        (record.canary === 'false' ? '' : text('canary', record.canary)) +
        text('cache', record.cache) +
        text('guardrails', record.guardrailsNotPassed) +
        `,"streamed":${record.streamed},"direct_key":${record.direct}` +
        number('attempts', record.attempts) +
        text('hedge', record.hedge) +
        text('recovered', record.recovered) +
        number('duration_ms', rounded(durationMs)) +
        number('first_byte_ms', firstByteAt === undefined ? undefined : rounded(firstByteAt - startedAt)) +
        number('read_on_ms', record.readOnMs === undefined ? undefined : rounded(record.readOnMs)) +
        text('estimated', record.estimateReason ?? record.countEstimate) +
        number('request_bytes', record.requestBytes) +
        number('prompt_tokens', usage?.promptTokens) +
        number('completion_tokens', usage?.completionTokens),
      'request',
    );
  };
}

/** Errors that an operator has to fix: a defect, a stored key that the vendor refuses, an unreachable control plane. */
const mended: ReadonlySet<string> = new Set<ErrorCode>([
  'internal_error',
  'upstream_authentication_failed',
  'access_unavailable',
  'ledger_unavailable',
  'no_healthy_target',
]);

/** Failures that are not the caller's fault stand out from the log of all requests by their level. */
function levelOf({ status, errorCode = '' }: RequestRecord): LineLevel {
  if (status < 500) return 'info';
  return mended.has(errorCode) ? 'error' : 'warn';
}

function failure(record: RequestRecord): string {
  return (
    text('error_code', record.errorCode) +
    text('error_source', record.errorSource) +
    cause(record) +
    text('limit_id', record.limitId) +
    text('upstream_request_id', record.upstreamRequestId && printableLine(record.upstreamRequestId, 128)) +
    text('key_hint', record.keyHint)
  );
}

/** The method and path of a request without a route. */
function target({ method, url = '' }: Exchange['request'], headers: Exchange['headers']): string {
  return text('method', method) + text('path', withoutRepeatedKeys(shownPath(url), headers, true));
}

/** Text that needs no escaping in JSON. */
const plain = /^[\w./:@+ -]*$/;

function text(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  return plain.test(value) ? `,"${name}":"${value}"` : `,"${name}":${JSON.stringify(value)}`;
}

function number(name: string, value: number | undefined): string {
  return value === undefined ? '' : `,"${name}":${value}`;
}

/** A defect is logged with its stack, other causes in one line. */
function cause({ cause: value, errorCode }: RequestRecord): string {
  if (value === undefined) return '';
  if (errorCode === 'internal_error')
    return `,"err":${JSON.stringify(value instanceof Error ? errorFields(value) : value) ?? 'null'}`;
  return text('reason', reasonText(value));
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
