// The one log line of a request, written when its response is truly finished. No prompts, no answers, no credentials.
import { createLineWriter, errorFields, type Logger } from '../../common/logger.ts';
import type { Exchange } from '../http/exchange.ts';

export type AccessLog = (exchange: Exchange, durationMs: number) => void;

export function createAccessLog(log: Logger): AccessLog {
  const write = createLineWriter(log);
  return ({ record, id, startedAt }, durationMs) => {
    const { usage, firstByteAt } = record;
    // Put together by hand: a serializer took as long as the request's authentication. A field without a value is left out.
    write(
      text('request_id', id).slice(1) +
        text('route', record.route) +
        number('status', record.status) +
        text('error_code', record.errorCode) +
        text('error_source', record.errorSource) +
        cause(record.cause) +
        text('organization_id', record.organizationId) +
        text('key_id', record.keyId) +
        text('project_key_id', record.projectKeyId) +
        text('provider', record.provider) +
        text('model', record.model) +
        text('model_sent', record.modelSent) +
        text('guardrails', record.guardrailsNotPassed) +
        `,"streamed":${record.streamed},"direct_key":${record.direct}` +
        number('attempts', record.attempts) +
        number('duration_ms', rounded(durationMs)) +
        number('first_byte_ms', firstByteAt === undefined ? undefined : rounded(firstByteAt - startedAt)) +
        number('request_bytes', record.requestBytes) +
        number('prompt_tokens', usage?.promptTokens) +
        number('completion_tokens', usage?.completionTokens),
      'request',
    );
  };
}

/** What stands in JSON as it is. */
const plain = /^[\w./:@+ -]*$/;

function text(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  return plain.test(value) ? `,"${name}":"${value}"` : `,"${name}":${JSON.stringify(value)}`;
}

function number(name: string, value: number | undefined): string {
  return value === undefined ? '' : `,"${name}":${value}`;
}

function cause(value: unknown): string {
  if (value === undefined) return '';
  return `,"err":${JSON.stringify(value instanceof Error ? errorFields(value) : value) ?? 'null'}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
