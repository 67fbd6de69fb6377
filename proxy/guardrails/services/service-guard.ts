// Guardrails that another service decides, as requests see them. The guardrail's action applies to a verdict, its
// failure rule to a failure. Slots, failures in a row and connections belong to a service, by its guardrail's id and
// revision, for all requests. A service may be called several times for one stage of a request; the decision is counted
// once.
import type { Clock } from '../../../common/clock.ts';
import type { GuardedPost } from '../../../common/guarded-request.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Logger } from '../../../common/logger.ts';
import { lruCache } from '../../../common/lru-cache.ts';
import { never } from '../../../common/never.ts';
import { type Guardrail, isServiceCheck, type Stage } from '../../../guardrails/definition.ts';
import { JsonKeeper } from '../../../guardrails/json-keeper.ts';
import { Placeholders } from '../../../guardrails/placeholders.ts';
import type { RequestContext, TextVerdict } from '../../../guardrails/services/adapter.ts';
import type { ChatCall } from '../../call.ts';
import type { Decisions } from '../decisions.ts';
import {
  NotRequestedError,
  type RequestFacts,
  type ServiceCheck,
  ServiceFailedError,
  type ServiceGuard,
  type ServiceQuestion,
  type ServiceVerdict,
} from '../service.ts';
import { type Ask, LimitedCheck } from './limited-check.ts';
import { type AskModel, createModelAsk } from './model.ts';
import { createModerationAsk, type ModerationDeps, moderationTimeoutMs } from './moderation.ts';
import { createVendorAsk, type VendorServiceDeps } from './vendor-service.ts';
import { createWebhookAsk } from './webhook.ts';
import { windowOf } from './windows.ts';

/** The request and the stage that are decided, and the recorder of the decisions. */
export interface ServiceContext {
  /** As other guardrails have left it. */
  readonly call: ChatCall;
  readonly stage: Stage;
  readonly decisions: Pick<Decisions, 'decided' | 'refusal' | 'failed' | 'unavailable'>;
}

export function createServiceGuard(guardrail: Guardrail, check: ServiceCheck, context: ServiceContext): ServiceGuard {
  return new CheckedGuard(guardrail, check, context);
}

/** By rank: of several decisions, the last in this list is reported. */
const ranks = ['pass', 'observe', 'redact', 'failed_pass'] as const;
type Going = (typeof ranks)[number];

class CheckedGuard implements ServiceGuard {
  readonly guardrail: Guardrail;
  readonly delaysResponse: boolean;
  readonly window: number;
  readonly #check: ServiceCheck;
  readonly #context: ServiceContext;
  readonly #question: Omit<ServiceQuestion, 'texts'>;
  #decided: Going | undefined;

  constructor(guardrail: Guardrail, check: ServiceCheck, context: ServiceContext) {
    this.guardrail = guardrail;
    this.delaysResponse = guardrail.action !== 'observe';
    this.window = windowOf(guardrail, context.stage);
    this.#check = check;
    this.#context = context;
    this.#question = questionOf(guardrail, context);
  }

  async inspect(texts: readonly string[], signal: AbortSignal, about: RequestFacts = {}): Promise<readonly string[]> {
    const { guardrail } = this;
    const { stage, decisions } = this.#context;
    try {
      return this.#decide(texts, about, await this.#check.ask({ ...this.#question, texts }, signal));
    } catch (error) {
      if (error instanceof NotRequestedError) {
        if (error.refusal !== undefined && this.delaysResponse) {
          decisions.decided(guardrail, stage, 'unavailable');
          throw error.refusal;
        }
        decisions.unavailable([guardrail], stage);
        return texts;
      }
      if (!(error instanceof ServiceFailedError)) throw error;
      if (this.delaysResponse && guardrail.onFailure === 'block')
        throw decisions.refusal(guardrail, stage, 'failed_block');
      this.#note('failed_pass');
      return texts;
    }
  }

  ended(): void {
    const decided = this.#decided;
    this.#decided = undefined;
    if (decided !== undefined) this.#context.decisions.decided(this.guardrail, this.#context.stage, decided);
  }

  #note(decided: Going): void {
    if (this.#decided === undefined || ranks.indexOf(decided) > ranks.indexOf(this.#decided)) this.#decided = decided;
  }

  /** @returns the texts after redaction. @throws GatewayError guardrail_blocked */
  #decide(texts: readonly string[], about: RequestFacts, verdict: ServiceVerdict): readonly string[] {
    const { action } = this.guardrail;
    if (verdict.kind === 'pass' || action === 'observe') {
      this.#note(verdict.kind === 'pass' ? 'pass' : 'observe');
      return texts;
    }
    const left = action === 'redact' ? leftOf(texts, verdict, about) : undefined;
    // Without a replacement, or in a text where nothing can be replaced, redact acts as block.
    const isReplaced = left?.every((text, at) => text === texts[at] || about.isFixed?.(at) !== true);
    if (left === undefined || isReplaced !== true)
      throw this.#context.decisions.refusal(this.guardrail, this.#context.stage, 'block');
    this.#note('redact');
    return left;
  }
}

function questionOf(guardrail: Guardrail, { call, stage }: ServiceContext): Omit<ServiceQuestion, 'texts'> {
  const { requestId, caller, qualifiedModel } = call;
  return {
    guardrail,
    stage,
    requestId,
    caller,
    organization: caller.principal.organization,
    model: qualifiedModel,
    window: windowOf(guardrail, stage),
    context: () => contextOf(call.request.body),
  };
}

type ServiceMatch = Extract<ServiceVerdict, { kind: 'found' }>;

/** Undefined: the verdict does not contain the result. */
function leftOf(texts: readonly string[], { texts: rewritten, found }: ServiceMatch, about: RequestFacts) {
  if (rewritten !== undefined) return rewritten;
  const left = found?.map((verdict, at) =>
    leftOfText(texts[at] ?? '', verdict, {
      placeholders: about.placeholders?.(at) ?? new Placeholders(),
      isWhole: about.isWhole?.(at) !== false,
    }),
  );
  return left?.every((text) => text !== undefined) ? left : undefined;
}

interface ReusableVerdict {
  readonly placeholders: Placeholders;
  /** The text is whole, so that JSON can stay JSON. */
  readonly isWhole: boolean;
}

function leftOfText(
  text: string,
  { found, masked }: TextVerdict,
  { placeholders, isWhole }: ReusableVerdict,
): string | undefined {
  if (found.length === 0) return text;
  const placed = found.flatMap(({ label, span }) => (span === undefined ? [] : [{ label, ...span }]));
  if (placed.length < found.length) return masked;
  placed.sort((a, b) => a.start - b.start || b.end - a.end);
  const json = isWhole ? new JsonKeeper() : undefined;
  let out = '';
  let left = 0;
  for (const { label, start, end } of placed) {
    // Of overlapping spans the first is replaced, and the others are removed with it.
    const isNew = start >= left;
    const before = text.slice(left, Math.max(left, start));
    const gone = text.slice(Math.max(left, start), Math.max(left, end));
    const placeholder = isNew ? placeholders.of(text.slice(start, end), label) : '';
    out += json === undefined ? before + placeholder : json.kept(before) + json.replaced(gone, placeholder);
    left = Math.max(left, end);
  }
  const rest = text.slice(left);
  return json === undefined ? out + rest : out + json.kept(rest) + json.end();
}

export interface ServiceMetrics {
  /** @param outcome "answered", or the reason of a ServiceFailedError */
  serviceRequested(kind: Guardrail['check']['kind'], outcome: string): void;
}

export interface ServiceGuardsDeps {
  /** Opens the connections of one webhook or service. */
  openPost(): GuardedPost;
  readonly moderation: ModerationDeps;
  readonly cloud: VendorServiceDeps['cloud'];
  readonly askModel: AskModel;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
}

/** Of many organizations. An evicted check starts again without failures. */
const checksMax = 10_000;

/** @returns a function that creates the guard of one guardrail, for one stage of one request */
export function createServiceGuards(
  deps: ServiceGuardsDeps,
): (guardrail: Guardrail, context: ServiceContext) => ServiceGuard {
  const checks = lruCache<ServiceCheck>(checksMax);
  return (guardrail, context) => {
    const key = `${guardrail.id} ${guardrail.revision}`;
    const check = checks.get(key) ?? limited(guardrail, deps);
    checks.set(key, check);
    return createServiceGuard(guardrail, check, context);
  };
}

function limited({ check }: Guardrail, deps: ServiceGuardsDeps): ServiceCheck {
  const { clock, log, metrics, moderation, openPost, cloud, askModel } = deps;
  const within = (timeoutMs: number, ask: Ask) =>
    new LimitedCheck({
      ask,
      timeoutMs,
      clock,
      log,
      requested: (outcome) => metrics.serviceRequested(check.kind, outcome),
    });
  if (!isServiceCheck(check)) return { ask: () => Promise.reject(new ServiceFailedError('unknown')) };
  switch (check.kind) {
    case 'webhook':
      return within(check.timeoutMs, createWebhookAsk(check, { post: openPost(), clock }));
    case 'moderation':
      return within(moderationTimeoutMs, createModerationAsk(check, moderation));
    case 'service':
      return within(check.timeoutMs, createVendorAsk(check, { post: openPost(), clock, cloud }));
    case 'model':
      return within(check.timeoutMs, createModelAsk(check, askModel));
    default:
      return never(check);
  }
}

/**
 * The context that a response is compared with: the texts that the model got. The caller's last question is separate.
 */
function contextOf({ messages }: JsonObject): RequestContext {
  const loop = objectsOf(messages);
  const last = loop.findLastIndex(({ role }) => role === 'user');
  const texts = loop.map(({ content }) => textOf(content));
  return {
    sources: texts.filter((text, index) => index !== last && text !== '' && loop[index]?.role !== 'assistant'),
    query: texts[last] ?? '',
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}
