// A proxy's usage event as the control plane records it.
import type { ReportedEvent } from '../../control-plane/ledger/report.ts';
import type { UsageEvent } from '../../proxy/ledger/budgets/ledger-client.ts';

export function reportedEvent(event: UsageEvent): ReportedEvent {
  return {
    row: {
      ...{ id: event.id, day: event.day, at: event.at, session_id: event.session },
      organization_id: event.organizationId,
      key_id: event.keyId,
      ai_system_id: event.aiSystemId ?? null,
      person_id: event.personId ?? null,
      project_key_id: event.projectKeyId ?? null,
      project_ai_system_id: event.projectAiSystemId ?? null,
      project_person_id: event.projectPersonId ?? null,
      request_id: event.requestId,
      provider: event.provider,
      model_asked: event.modelAsked,
      model_answered: event.modelAnswered,
      prompt_tokens: event.promptTokens,
      completion_tokens: event.completionTokens,
      cache_read_tokens: event.cacheReadTokens,
      cache_write_tokens: event.cacheWriteTokens,
      cache_write1h_tokens: event.cacheWrite1hTokens,
      reasoning_tokens: event.reasoningTokens,
      cost: event.cost,
      unpriced: flag(event.unpriced),
      status: event.status,
      error_source: event.errorSource,
      error_code: event.errorCode,
      latency_ms: event.latencyMs,
      first_token_ms: event.firstTokenMs ?? null,
      streamed: flag(event.streamed),
      direct_key: flag(event.directKey),
      attempts: event.attempts,
      estimated: flag(event.estimated),
    },
    charges: event.charges,
  };
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
