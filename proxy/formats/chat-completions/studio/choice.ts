// One choice of an answer, whole or as the deltas of a stream: as the vendor sent it, but for what models behind the studio leave
// out and clients rely on, and for what the vendor was asked in another form than the caller asked.
import { plainNumber } from '../../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import { ResponseText } from '../../../conversation/output-mode.ts';
import type { ResponsePlan } from './request-plan.ts';

export class ChoiceReader {
  readonly #plan: ResponsePlan;
  readonly #text: ResponseText;
  #calls = false;
  #finished = false;

  constructor(plan: ResponsePlan) {
    this.#plan = plan;
    this.#text = new ResponseText(plan.form);
  }

  /** @returns the choice itself where it stays as it is */
  message(choice: JsonObject): JsonObject {
    const { message, finish_reason: reason } = choice;
    const told = isObject(message) ? this.#shaped(message, true) : message;
    const finish = this.#told(isSaid(reason) ? reason : this.#ownReason);
    return told === message && finish === reason
      ? choice
      : { ...choice, message: told, finish_reason: finish };
  }

  /** @returns the choice itself where it stays as it is */
  delta(choice: JsonObject): JsonObject {
    const { delta, finish_reason: reason } = choice;
    const isLast = isSaid(reason);
    const told = this.#shaped(isObject(delta) ? delta : {}, isLast);
    this.#finished ||= isLast;
    const finish = isLast ? this.#told(reason) : null;
    return told === delta && finish === (reason ?? null)
      ? choice
      : { ...choice, delta: told, finish_reason: finish };
  }

  /** What the vendor has left out at the end of a stream. */
  end(): { readonly delta: JsonObject; readonly finish_reason: string } | undefined {
    if (this.#finished) return undefined;
    return { delta: this.#shaped({}, true), finish_reason: this.#told(this.#ownReason) };
  }

  /** For a model that gives none, or an empty one. */
  get #ownReason(): string {
    return this.#calls ? 'tool_calls' : 'stop';
  }

  #told(reason: string): string {
    return reason === 'tool_calls' && this.#plan.asFunctions ? 'function_call' : reason;
  }

  #shaped(part: JsonObject, isLast: boolean): JsonObject {
    const calls: unknown = part.tool_calls;
    if (Array.isArray(calls) && calls.length > 0) this.#calls = true;
    const said = this.#plan.form.kind === 'words' ? this.#unwrapped(part, isLast) : part;
    return this.#plan.asFunctions && Array.isArray(calls) ? asFunction(said, calls) : said;
  }

  #unwrapped(part: JsonObject, isLast: boolean): JsonObject {
    const { content } = part;
    const text =
      (typeof content === 'string' ? this.#text.said(content) : '') + (isLast ? this.#text.end() : '');
    return text === content || (text === '' && typeof content !== 'string')
      ? part
      : { ...part, content: text };
  }
}

export function isSaid(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '';
}

/** The deprecated form knows one call only. */
function asFunction({ tool_calls, ...part }: JsonObject, calls: readonly unknown[]): JsonObject {
  const first = calls.filter(isObject).find(({ index = 0 }) => plainNumber(index) === 0);
  return first === undefined ? part : { ...part, function_call: first.function };
}
