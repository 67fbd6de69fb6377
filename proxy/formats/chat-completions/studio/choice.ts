// One choice of a response, whole or as stream deltas. It stays as the vendor sent it, with two exceptions: fields that
// models behind the studio omit and clients need are added, and output that the gateway requested in another form is
// converted back.
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

  /** @returns the same object if nothing changes */
  message(choice: JsonObject): JsonObject {
    const { message, finish_reason: reason } = choice;
    const shaped = isObject(message) ? this.#shaped(message, true) : message;
    const finish = this.#finishReason(isReason(reason) ? reason : this.#ownReason);
    return shaped === message && finish === reason ? choice : { ...choice, message: shaped, finish_reason: finish };
  }

  /** @returns the same object if nothing changes */
  delta(choice: JsonObject): JsonObject {
    const { delta, finish_reason: reason } = choice;
    const isLast = isReason(reason);
    const shaped = this.#shaped(isObject(delta) ? delta : {}, isLast);
    this.#finished ||= isLast;
    const finish = isLast ? this.#finishReason(reason) : null;
    return shaped === delta && finish === (reason ?? null)
      ? choice
      : { ...choice, delta: shaped, finish_reason: finish };
  }

  /** The end of the choice, if the stream has ended without it. */
  end(): { readonly delta: JsonObject; readonly finish_reason: string } | undefined {
    if (this.#finished) return undefined;
    return { delta: this.#shaped({}, true), finish_reason: this.#finishReason(this.#ownReason) };
  }

  /** The finish reason if the model sends none, or an empty one. */
  get #ownReason(): string {
    return this.#calls ? 'tool_calls' : 'stop';
  }

  #finishReason(reason: string): string {
    return reason === 'tool_calls' && this.#plan.asFunctions ? 'function_call' : reason;
  }

  #shaped(part: JsonObject, isLast: boolean): JsonObject {
    const calls: unknown = part.tool_calls;
    if (Array.isArray(calls) && calls.length > 0) this.#calls = true;
    const unwrapped = this.#plan.form.kind === 'words' ? this.#unwrapped(part, isLast) : part;
    return this.#plan.asFunctions && Array.isArray(calls) ? asFunction(unwrapped, calls) : unwrapped;
  }

  #unwrapped(part: JsonObject, isLast: boolean): JsonObject {
    const { content } = part;
    const text = (typeof content === 'string' ? this.#text.push(content) : '') + (isLast ? this.#text.end() : '');
    return text === content || (text === '' && typeof content !== 'string') ? part : { ...part, content: text };
  }
}

export function isReason(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '';
}

/** The deprecated form has one call only. */
function asFunction({ tool_calls, ...part }: JsonObject, calls: readonly unknown[]): JsonObject {
  const first = calls.filter(isObject).find(({ index = 0 }) => plainNumber(index) === 0);
  return first === undefined ? part : { ...part, function_call: first.function };
}
