// What becomes of a service's verdict, by its guardrail's action, and of its failure, by the guardrail's failure rule. It may be asked
// several times for one stage of a request; what was decided is counted once.
import type { Guardrail, Stage } from '../../../guardrails/definition.ts';
import { JsonKeeper } from '../../../guardrails/json-keeper.ts';
import { Placeholders } from '../../../guardrails/placeholders.ts';
import type { TextVerdict } from '../../../guardrails/services/adapter.ts';
import type { ChatCall } from '../../call.ts';
import type { Decisions } from '../decisions.ts';
import { contextOf } from './question-context.ts';
import {
  type AskedAbout,
  NotAskedError,
  type ServiceCheck,
  ServiceFailedError,
  type ServiceGuard,
  type ServiceQuestion,
  type ServiceVerdict,
} from './service.ts';
import { windowOf } from './windows.ts';

/** What the decisions of one stage of a request are about, and where they go. */
export interface ServiceContext {
  /** As other guardrails have left it. */
  readonly call: ChatCall;
  readonly stage: Stage;
  readonly decisions: Pick<Decisions, 'decided' | 'refusal' | 'failed' | 'unavailable'>;
}

export function createServiceGuard(
  guardrail: Guardrail,
  check: ServiceCheck,
  context: ServiceContext,
): ServiceGuard {
  return new CheckedGuard(guardrail, check, context);
}

/** In the order of what is told where several were decided. */
const ranks = ['pass', 'observe', 'redact', 'failed_pass'] as const;
type Going = (typeof ranks)[number];

class CheckedGuard implements ServiceGuard {
  readonly guardrail: Guardrail;
  readonly holds: boolean;
  readonly window: number;
  readonly #check: ServiceCheck;
  readonly #context: ServiceContext;
  readonly #question: Omit<ServiceQuestion, 'texts'>;
  #decided: Going | undefined;

  constructor(guardrail: Guardrail, check: ServiceCheck, context: ServiceContext) {
    this.guardrail = guardrail;
    this.holds = guardrail.action !== 'observe';
    this.window = windowOf(guardrail, context.stage);
    this.#check = check;
    this.#context = context;
    this.#question = questionOf(guardrail, context);
  }

  async judge(
    texts: readonly string[],
    signal: AbortSignal,
    about: AskedAbout = {},
  ): Promise<readonly string[]> {
    const { guardrail } = this;
    const { stage, decisions } = this.#context;
    try {
      return this.#decide(texts, about, await this.#check.ask({ ...this.#question, texts }, signal));
    } catch (error) {
      if (error instanceof NotAskedError) {
        if (error.refusal !== undefined && this.holds) {
          decisions.decided(guardrail, stage, 'unavailable');
          throw error.refusal;
        }
        decisions.unavailable([guardrail], stage);
        return texts;
      }
      if (!(error instanceof ServiceFailedError)) throw error;
      if (this.holds && guardrail.onFailure === 'block')
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
    if (this.#decided === undefined || ranks.indexOf(decided) > ranks.indexOf(this.#decided))
      this.#decided = decided;
  }

  /** @returns the texts as they go on. @throws GatewayError guardrail_blocked */
  #decide(texts: readonly string[], about: AskedAbout, verdict: ServiceVerdict): readonly string[] {
    const { action } = this.guardrail;
    if (verdict.kind === 'pass' || action === 'observe') {
      this.#note(verdict.kind === 'pass' ? 'pass' : 'observe');
      return texts;
    }
    const left = action === 'redact' ? leftOf(texts, verdict, about) : undefined;
    // Where nothing says what stands in place of what was found, or nothing can stand there, redacting is blocking.
    const isPutInPlace = left?.every((text, at) => text === texts[at] || about.isFixed?.(at) !== true);
    if (left === undefined || isPutInPlace !== true)
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

type Found = Extract<ServiceVerdict, { kind: 'found' }>;

/** Undefined: nobody says what is left. */
function leftOf(texts: readonly string[], { texts: rewritten, found }: Found, about: AskedAbout) {
  if (rewritten !== undefined) return rewritten;
  const left = found?.map((verdict, at) =>
    leftOfText(texts[at] ?? '', verdict, {
      placeholders: about.placeholders?.(at) ?? new Placeholders(),
      isWhole: about.isWhole?.(at) !== false,
    }),
  );
  return left?.every((text) => text !== undefined) ? left : undefined;
}

interface Kept {
  readonly placeholders: Placeholders;
  /** All of the text is there, so that what is JSON can stay JSON. */
  readonly isWhole: boolean;
}

function leftOfText(
  text: string,
  { found, masked }: TextVerdict,
  { placeholders, isWhole }: Kept,
): string | undefined {
  if (found.length === 0) return text;
  const placed = found.flatMap(({ label, span }) => (span === undefined ? [] : [{ label, ...span }]));
  if (placed.length < found.length) return masked;
  placed.sort((a, b) => a.start - b.start || b.end - a.end);
  const json = isWhole ? new JsonKeeper() : undefined;
  let out = '';
  let left = 0;
  for (const { label, start, end } of placed) {
    // Of places that overlap the first is replaced, and the others go with it.
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
