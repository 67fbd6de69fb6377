// The one log line of a request, written when its response is truly finished. No prompts, no answers, no credentials.
import type { Logger } from '../../common/logger.ts';
import type { Exchange } from '../http/exchange.ts';

export function logRequest(log: Logger, exchange: Exchange, durationMs: number): void {
  const { record, id, startedAt } = exchange;
  // Fields that are undefined are not written. One literal, without spreads: those cost 30 KB a line.
  const line = {
    request_id: id,
    route: record.route,
    status: record.status,
    error_code: record.errorCode,
    error_source: record.errorSource,
    err: record.cause,
    organization_id: record.organizationId,
    key_id: record.keyId,
    project_key_id: record.projectKeyId,
    provider: record.provider,
    model: record.model,
    streamed: record.streamed,
    direct_key: record.direct,
    attempts: record.attempts,
    duration_ms: rounded(durationMs),
    first_byte_ms: record.firstByteAt === undefined ? undefined : rounded(record.firstByteAt - startedAt),
    request_bytes: record.requestBytes,
    prompt_tokens: record.usage?.promptTokens,
    completion_tokens: record.usage?.completionTokens,
  };
  if (record.errorCode === 'internal_error') log.error(line, 'request');
  else log.info(line, 'request');
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
