// The calls of a stream for a client whose format has one call after another. Chunks of chat completions may have the
// arguments of several calls in turns: a call that begins while another one is not complete waits until the end.
import { isObject, parseJson } from '../../common/json.ts';
import type { CalledTool } from '../conversation/response.ts';

/** Its arguments are those so far. */
export type StreamedCall = { -readonly [Field in keyof CalledTool]: CalledTool[Field] };

export class OrderedCalls {
  readonly #calls: StreamedCall[] = [];
  #waiting: StreamedCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  /** @param open the call that is being written, if one is */
  begin({ id, name }: Pick<CalledTool, 'id' | 'name'>, open: StreamedCall | undefined) {
    const call: StreamedCall = { id, name, arguments: '' };
    const waits = open !== undefined && !isWhole(open);
    if (waits) this.#waiting.push(call);
    return { index: this.#calls.push(call) - 1, call, waits };
  }

  /** Adds arguments. @returns the call; undefined if there is nothing to write */
  add(index: number, args: string): StreamedCall | undefined {
    const call = args === '' ? undefined : this.#calls[index];
    if (call !== undefined) call.arguments += args;
    return call;
  }

  /** The calls that have waited, at the end of the stream. */
  takeWaiting(): readonly StreamedCall[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

/** Whether all arguments have arrived. Nothing in chat completions shows it. */
export function isWhole(call: Pick<StreamedCall, 'arguments'>): boolean {
  return call.arguments.trimEnd().endsWith('}') && isObject(parseJson(call.arguments));
}
