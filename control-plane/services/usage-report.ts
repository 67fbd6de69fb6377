// Converts reported usage to rows of the ledger. A report may contain a thousand events, so each is read in one pass,
// and their common parts are read once. A problem is named by its path in the request, such as
// "events[3].cost_nano_usd". Pure.
import { canonicalModel } from '../../catalog/model-names.ts';
import { dayOf, isWindowName } from '../../common/budget-window.ts';
import { isCounterName } from '../../common/counter-names.ts';
import { isUuid } from '../../common/uuid.ts';
import type { ReportUsageRequest__Output } from '../../proto/generated/gateway/v1/ReportUsageRequest.ts';
import type { UsageEvent__Output } from '../../proto/generated/gateway/v1/UsageEvent.ts';
import type { UsageSlice__Output } from '../../proto/generated/gateway/v1/UsageSlice.ts';
import type { UsageSource__Output } from '../../proto/generated/gateway/v1/UsageSource.ts';
import { type EstimateReason, estimateReasons } from '../../proto/words/money.ts';
import { time } from '../domain/shared-fields.ts';
import type { ReportedEvent } from '../ledger/report.ts';
import type { Violation } from '../rpc/errors.ts';
import { knownWords, specialText } from '../usage/special.ts';
import type { TaggedEventRow } from '../usage/tagged-event.ts';
import { budgetIdProblem, nanoOf, nanoProblem, windowProblem } from './ledger-fields.ts';
import { reportedTags } from './reported-tags.ts';

export const textLengthMax = 512;
/** More than the limits that can apply to one request. */
export const chargesMax = 256;
const statusMax = 599;
const errorSources = ['', 'gateway', 'provider'];

/** @param violations problems are added to these; if there are any, the result is invalid */
export function readReport(
  { events, sources, slices }: ReportUsageRequest__Output,
  violations: Violation[],
): readonly ReportedEvent[] {
  const inSources = new Reader('sources', violations);
  const inSlices = new Reader('slices', violations);
  const inEvents = new Reader('events', violations);
  const common: Common = {
    sources: sources.map((source, position) => readSource(inSources.at(position), source)),
    slices: slices.map((slice, position) => readSlice(inSlices.at(position), slice)),
  };
  return events.flatMap((event, position) => readEvent(inEvents.at(position), event, common) ?? []);
}

type SourceFields = ReturnType<typeof readSource>;
type SliceFields = ReturnType<typeof readSlice>;

interface Common {
  readonly sources: readonly SourceFields[];
  readonly slices: readonly SliceFields[];
}

function readSource(read: Reader, source: UsageSource__Output) {
  return {
    session_id: source.session === '' ? '' : read.id('session', source.session),
    organization_id: read.id('organization_id', source.organizationId),
    key_id: read.id('key_id', source.keyId),
    ai_system_id: read.maybeId('ai_system_id', source.aiSystemId),
    person_id: read.maybeId('person_id', source.personId),
    project_key_id: read.maybeId('project_key_id', source.projectKeyId),
    project_ai_system_id: read.maybeId('project_ai_system_id', source.projectAiSystemId),
    project_person_id: read.maybeId('project_person_id', source.projectPersonId),
    provider: read.text('provider', source.provider),
    // An older proxy reports the name that the caller sent.
    model_asked: canonicalModel(read.text('model_asked', source.modelAsked)),
    model_answered: read.text('model_answered', source.modelAnswered),
    direct_key: flag(source.directKey),
    provider_key_id: read.maybeId('provider_key_id', source.providerKeyId),
    guardrail_id: read.maybeId('guardrail_id', source.guardrailId),
    shadow: flag(source.shadow),
  };
}

function readSlice(read: Reader, { budgetId, window }: UsageSlice__Output) {
  return {
    budgetId: read.of('budget_id', budgetId, isCounterName(budgetId), budgetIdProblem),
    window: read.of('window', window, isWindowName(window), windowProblem),
  };
}

/** Undefined if the event has no valid source. */
function readEvent(read: Reader, event: UsageEvent__Output, common: Common): ReportedEvent | undefined {
  const source = common.sources[event.source];
  if (source === undefined) return read.wrong('source', 'must be a position in `sources`');
  const { at, day } = read.time('at', event.at);
  const tags = reportedTags(event.tags);
  const row: TaggedEventRow = {
    ...source,
    day,
    id: read.id('id', event.id),
    at,
    request_id: read.text('request_id', event.requestId),
    prompt_tokens: event.promptTokens,
    completion_tokens: event.completionTokens,
    cache_read_tokens: event.cacheReadTokens,
    cache_write_tokens: event.cacheWriteTokens,
    cache_write1h_tokens: event.cacheWrite1hTokens,
    reasoning_tokens: event.reasoningTokens,
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
    attempts: event.attempts,
    estimated: flag(event.estimated),
    estimate_reason: estimateReason(event),
    reported_cost: read.maybeAmount('reported_cost_nano_usd', event.reportedCostNanoUsd),
    special: specialText(knownWords(event.special)),
    ...(tags !== undefined && { tags }),
  };
  const ordinal = event.ordinal === undefined ? undefined : read.ordinal('ordinal', event.ordinal);
  return { row, charges: readCharges(read, event, common.slices), ordinal };
}

function readCharges(
  read: Reader,
  { charges }: UsageEvent__Output,
  slices: Common['slices'],
): ReportedEvent['charges'] {
  if (charges.length > chargesMax) read.wrong('charges', `must contain at most ${chargesMax}`);
  return charges.slice(0, chargesMax).flatMap(({ slice: position, escrowNanoUsd }, index) => {
    const slice = slices[position];
    const escrow = nanoOf(escrowNanoUsd);
    if (slice === undefined) read.wrong(`charges[${index}].slice`, 'must be a position in `slices`');
    if (escrow === undefined) read.wrong(`charges[${index}].escrow_nano_usd`, nanoProblem);
    return slice === undefined || escrow === undefined ? [] : { ...slice, escrow };
  });
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** A newer proxy's unknown reason arrives as its number. The event still counts. */
function estimateReason({ estimateReason: reason }: UsageEvent__Output): EstimateReason | null {
  return estimateReasons.wordOf(reason) ?? null;
}

const noTime = { at: 0, day: '' };

/** Reads the fields of a list's messages one after the other. */
class Reader {
  readonly #list: string;
  readonly #violations: Violation[];
  #position = 0;
  /** Caches the last time: many consecutive events are from the same millisecond. */
  #timeText = '';
  #time = noTime;

  constructor(list: string, violations: Violation[]) {
    this.#list = list;
    this.#violations = violations;
  }

  at(position: number): this {
    this.#position = position;
    return this;
  }

  wrong(field: string, description: string): undefined {
    this.#violations.push({ field: `${this.#list}[${this.#position}].${field}`, description });
  }

  of<T>(field: string, value: T, contains: boolean, description: string): T {
    if (!contains) this.wrong(field, description);
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

  /** Reads milliseconds and the UTC day. */
  time(field: string, text: string): typeof noTime {
    if (text === this.#timeText) return this.#time;
    const read = time(text);
    if (!('value' in read)) {
      this.wrong(field, 'must be a time in RFC 3339, such as 2027-01-31T12:00:00.000Z');
      return noTime;
    }
    this.#timeText = text;
    this.#time = { at: read.value, day: dayOf(read.value) };
    return this.#time;
  }

  maybeAmount(field: string, text: string | undefined): number | null {
    return text === undefined ? null : this.amount(field, text);
  }

  ordinal(field: string, text: string): number {
    const ordinal = nanoOf(text) ?? 0;
    return this.of(field, ordinal, ordinal > 0, 'must be from 1 to 2^53 - 1');
  }

  amount(field: string, text: string): number {
    const nano = nanoOf(text);
    if (nano === undefined) this.wrong(field, nanoProblem);
    return nano ?? 0;
  }
}
