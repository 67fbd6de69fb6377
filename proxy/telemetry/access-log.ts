// The one log line of a request, written when its response is truly finished. No prompts, no answers, no credentials.
import type { Logger } from '../../common/logger.ts';
import type { Exchange } from '../http/exchange.ts';

export function logRequest(log: Logger, exchange: Exchange, durationMs: number): void {
  const { record, id, startedAt } = exchange;
  const { usage, cause } = record;
  const line = {
    request_id: id,
    route: record.route,
    status: record.status,
    ...(record.errorCode !== undefined && { error_code: record.errorCode }),
    ...(record.errorSource !== undefined && { error_source: record.errorSource }),
    ...(cause !== undefined && { err: cause }),
    organization_id: record.organizationId,
    key_id: record.keyId,
    project_key_id: record.projectKeyId,
    provider: record.provider,
    model: record.model,
    streamed: record.streamed,
    direct_key: record.direct,
    attempts: record.attempts,
    duration_ms: rounded(durationMs),
    ...(record.firstByteAt !== undefined && { first_byte_ms: rounded(record.firstByteAt - startedAt) }),
    request_bytes: record.requestBytes,
    ...(usage !== undefined && {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
    }),
  };
  if (record.errorCode === 'internal_error') log.error(line, 'request');
  else log.info(line, 'request');
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
