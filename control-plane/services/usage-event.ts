// A reported event as a row of the books. A thousand come at once, so each is read in one straight pass; what is wrong is named
// by its path in the request, such as "events[3].cost_nano_usd". Pure.
import { dayOf } from '../../common/budget-window.ts';
import { isUuid } from '../../common/uuid.ts';
import type { UsageEvent__Output } from '../../proto/generated/gateway/v1/UsageEvent.ts';
import { time } from '../domain/fields.ts';
import type { ReportedEvent } from '../ledger/report.ts';
import type { UsageEventRow } from '../store/schema.ts';
import type { Violation } from './errors.ts';
import { isLedgerWindow, nanoOf, nanoProblem, windowProblem } from './ledger-fields.ts';

export const textLengthMax = 512;
/** More than limits can apply to one request. */
export const chargesMax = 256;
const statusMax = 599;
const errorSources = ['', 'gateway', 'provider'];

/** @param violations what is wrong is added to these; the answer is then worth nothing */
export function readUsageEvent(
  event: UsageEvent__Output,
  path: string,
  violations: Violation[],
): ReportedEvent {
  const read = new EventReader(path, violations);
  const at = read.time('at', event.at);
  const row: UsageEventRow = {
    day: read.of('day', event.day, event.day === dayOf(at), 'must be the UTC day of `at`'),
    id: read.id('id', event.id),
    at,
    session_id: event.session === '' ? '' : read.id('session', event.session),
    organization_id: read.id('organization_id', event.organizationId),
    key_id: read.id('key_id', event.keyId),
    ai_system_id: read.maybeId('ai_system_id', event.aiSystemId),
    person_id: read.maybeId('person_id', event.personId),
    project_key_id: read.maybeId('project_key_id', event.projectKeyId),
    project_ai_system_id: read.maybeId('project_ai_system_id', event.projectAiSystemId),
    project_person_id: read.maybeId('project_person_id', event.projectPersonId),
    request_id: read.text('request_id', event.requestId),
    provider: read.text('provider', event.provider),
    model_asked: read.text('model_asked', event.modelAsked),
    model_answered: read.text('model_answered', event.modelAnswered),
    ...readTokens(read, event),
    cost: read.amount('cost_nano_usd', event.costNanoUsd),
    unpriced: flag(event.unpriced),
    status: read.of('status', event.status, event.status <= statusMax, `must be at most ${statusMax}`),
    error_source: read.of(
      'error_source',
      event.errorSource,
      errorSources.includes(event.errorSource),
      'must be empty, "gateway" or "provider"',
    ),
    error_code: read.text('error_code', event.errorCode),
    latency_ms: event.latencyMs,
    first_token_ms: event.firstTokenMs ?? null,
    streamed: flag(event.streamed),
    direct_key: flag(event.directKey),
    attempts: event.attempts,
    estimated: flag(event.estimated),
  };
  return { row, charges: readCharges(read, event) };
}

function readTokens(read: EventReader, { tokens }: UsageEvent__Output) {
  return {
    prompt_tokens: read.count('tokens.prompt', tokens?.prompt),
    completion_tokens: read.count('tokens.completion', tokens?.completion),
    cache_read_tokens: read.count('tokens.cache_read', tokens?.cacheRead),
    cache_write_tokens: read.count('tokens.cache_write', tokens?.cacheWrite),
    cache_write1h_tokens: read.count('tokens.cache_write1h', tokens?.cacheWrite1h),
    reasoning_tokens: read.count('tokens.reasoning', tokens?.reasoning),
  };
}

function readCharges(read: EventReader, { charges }: UsageEvent__Output): ReportedEvent['charges'] {
  if (charges.length === 0) return [];
  read.of('charges', charges, charges.length <= chargesMax, `must hold at most ${chargesMax}`);
  return charges.slice(0, chargesMax).map(({ budgetId, window, escrowNanoUsd }, index) => ({
    budgetId: read.id(`charges[${index}].budget_id`, budgetId),
    window: read.of(`charges[${index}].window`, window, isLedgerWindow(window), windowProblem),
    escrow: read.amount(`charges[${index}].escrow_nano_usd`, escrowNanoUsd),
  }));
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

class EventReader {
  readonly #path: string;
  readonly #violations: Violation[];

  constructor(path: string, violations: Violation[]) {
    this.#path = path;
    this.#violations = violations;
  }

  of<T>(field: string, value: T, holds: boolean, description: string): T {
    if (!holds) this.#violations.push({ field: `${this.#path}.${field}`, description });
    return value;
  }

  id(field: string, text: string): string {
    return this.of(field, text, isUuid(text), 'must be an id: a UUID in lower case');
  }

  maybeId(field: string, text: string | undefined): string | null {
    return text === undefined ? null : this.id(field, text);
  }

  text(field: string, text: string): string {
    // PostgreSQL stores neither NUL nor half of a surrogate pair.
    const fits = text.length <= textLengthMax && !text.includes('\0') && text.isWellFormed();
    return this.of(field, text, fits, `must be at most ${textLengthMax} characters that can be stored`);
  }

  /** Milliseconds; 0 for what is no time. */
  time(field: string, text: string): number {
    const read = time(text);
    if ('value' in read) return read.value;
    return this.of(field, 0, false, 'must be a time in RFC 3339, such as 2027-01-31T12:00:00.000Z');
  }

  amount(field: string, text: string): number {
    const nano = nanoOf(text);
    return nano ?? this.of(field, 0, false, nanoProblem);
  }

  /** Absent: none. */
  count(field: string, text = '0'): number {
    return nanoOf(text) ?? this.of(field, 0, false, 'must be below 2^53');
  }
}
