// Guards the response to one request. A complete response is inspected and rewritten if something is replaced;
// otherwise its bytes stay unchanged. A stream is guarded piece by piece.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { readJsonInSteps } from '../../../common/sliced-json-reader.ts';
import { writeJsonInSteps } from '../../../common/sliced-json-writer.ts';
import type { TextMatch } from '../../../guardrails/inspection/findings.ts';
import type { Slot } from '../../../guardrails/inspection/inspection-schema.ts';
import { responseLocations } from '../../../guardrails/inspection/response-schema.ts';
import { restored, restoreMatcher } from '../../../guardrails/kinds/restore.ts';
import { Placeholders } from '../../../guardrails/placeholders.ts';
import { scan } from '../../../guardrails/scan.ts';
import { GatewayError } from '../../errors.ts';
import { largeBytes } from '../../formats/chat-completions/read-request.ts';
import { NotScheduledError } from '../../loop-scheduler.ts';
import type { AttemptResult, CompleteResult, StreamResult } from '../../upstream/attempt.ts';
import { ProviderFailure } from '../../upstream/provider-failure.ts';
import type { StageGuardrails } from '../compiled.ts';
import type { InspectContext, OutputGuard } from '../guardrail.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { guardedFailure, keptBack } from '../response-guards.ts';
import { LiveResponseGuards } from './live-response-guards.ts';
import { inspectBody, type StageInspectionDeps } from './stage-inspection.ts';

export type GuardStream = (
  source: StreamResult,
  guards: ResponseGuards,
  context: InspectContext,
) => Promise<StreamResult>;

export interface ResponseInspectionDeps
  extends Pick<StageInspectionDeps, 'guardrails' | 'services' | 'decisions' | 'context' | 'scanner' | 'owner'> {
  /** The highest placeholder numbers of the input, by label. */
  readonly taken: ReadonlyMap<string, number>;
  /** Placeholders of the input that are restored, with their original values. */
  readonly restorable: ReadonlyMap<string, string>;
  readonly guardStream: GuardStream;
  /** Records how long the inspection takes. */
  timed<T>(inspecting: () => T | Promise<T>): T | Promise<T>;
}

/**
 * Maximum number of commas and opening brackets. A whole response with more is not inspected, like one with too much
 * text.
 */
const structuralMax = 250_000;

export class ResponseInspection implements OutputGuard {
  readonly #deps: ResponseInspectionDeps;

  constructor(deps: ResponseInspectionDeps) {
    this.#deps = deps;
  }

  guard(result: AttemptResult): AttemptResult | Promise<AttemptResult> {
    const { guardrails, decisions } = this.#deps;
    for (const guardrail of guardrails.others) decisions.failed(guardrail, 'output');
    if (result.kind === 'complete') return this.#deps.timed(() => this.#complete(result));
    decisions.streams([...guardrails.texts.map(({ guardrail }) => guardrail), ...guardrails.services]);
    return this.#deps.guardStream(result, this.#responseGuards(), this.#deps.context);
  }

  failure(error: unknown): unknown {
    const guards = this.#responseGuards();
    const left = guardedFailure(error, guards);
    // A refusal has counted its own decision.
    if (left instanceof ProviderFailure && left.message !== keptBack) guards.ended();
    return left;
  }

  #complete(result: CompleteResult): CompleteResult | Promise<CompleteResult> {
    if (result.body.length > largeBytes) return this.#large(result);
    const body = parseExactJson(result.body.toString());
    const put = (left: unknown) => (left === body ? result : { ...result, body: Buffer.from(JSON.stringify(left)) });
    const left = this.#left(body);
    return left instanceof Promise ? left.then(put) : put(left);
  }

  /** Parses and serializes in slices. */
  async #large(result: CompleteResult): Promise<CompleteResult> {
    const body = await this.#inTicks(readJsonInSteps(result.body, { exact: true, structuralMax }));
    const left = await this.#left(body);
    return left === body ? result : { ...result, body: await this.#inTicks(writeJsonInSteps(left)) };
  }

  /** @returns the same body if nothing is replaced */
  #left(body: unknown): unknown {
    if (!isObject(body)) {
      this.#responseGuards().tooLong();
      return body;
    }
    const reported = mayWithhold(this.#deps.guardrails) ? withoutLogprobs(body) : body;
    return inspectBody(reported, responseLocations, this.#inspection());
  }

  async #inTicks<T>(steps: Generator<void, T>): Promise<T> {
    const { owner, scanner, context } = this.#deps;
    let ended: Error | undefined;
    context.onAbort({
      abort: (error) => {
        ended = error;
      },
    });
    try {
      return await scanner.finish(owner, steps, () => ended !== undefined);
    } catch (error) {
      if (ended !== undefined) throw ended;
      if (!(error instanceof NotScheduledError)) throw error;
      throw new GatewayError('guardrail_unavailable', { retryAfter: 1, cause: error });
    }
  }

  #responseGuards(): ResponseGuards {
    return new LiveResponseGuards({ ...this.#deps, window: this.#deps.scanner.window });
  }

  #inspection(): StageInspectionDeps {
    const { guardrails, restorable, scanner, taken } = this.#deps;
    const placeholders = new Map<number, Placeholders>();
    const put = ({ matcher, value, label }: TextMatch, { group }: Slot) => {
      if (matcher >= guardrails.texts.length) return restored(value, restorable);
      const own = placeholders.get(group) ?? new Placeholders(taken);
      placeholders.set(group, own);
      return own.of(value, label);
    };
    const placeholdersOf = () => new Placeholders(taken);
    const base = { ...this.#deps, stage: 'output', put, placeholdersOf } as const;
    if (restorable.size === 0) return base;
    const matchers = [restoreMatcher(restorable)];
    return { ...base, also: (strings) => scan(matchers, strings, scanner.window).hits };
  }
}

/** Whether a guardrail may withhold a part of the response from the caller. */
export function mayWithhold({ texts, services }: StageGuardrails): boolean {
  return (
    texts.some(({ guardrail }) => guardrail.action !== 'observe') || services.some(({ action }) => action !== 'observe')
  );
}

/** Logprobs reveal the text, token by token. Requests for them are refused; some servers send them anyway. */
function withoutLogprobs(response: JsonObject): JsonObject {
  const { choices } = response;
  if (!Array.isArray(choices) || !choices.some(spellsText)) return response;
  return {
    ...response,
    choices: choices.map((choice: unknown) => (spellsText(choice) ? { ...choice, logprobs: null } : choice)),
  };
}

function spellsText(choice: unknown): choice is JsonObject {
  return isObject(choice) && choice.logprobs !== undefined && choice.logprobs !== null;
}
