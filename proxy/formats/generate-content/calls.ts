// Converts function calls for the caller: the caller's own name, an id if the vendor sent none, and the vendor's
// signature inside the id, because the id is the only field that every client sends back.
import { createHash } from 'node:crypto';
import { withSignature } from '../../conversation/call-ids.ts';
import type { CalledTool } from '../../conversation/response.ts';
import type { FunctionNames } from './names.ts';
import type { FunctionCall } from './response.ts';
import { withModel } from './signatures.ts';

export class CallReader {
  readonly #names: FunctionNames;
  readonly #model: string;
  readonly #given = new Set<string>();
  #count = 0;

  /** @param model the vendor's model name, as requested */
  constructor(names: FunctionNames, model: string) {
    this.#names = names;
    this.#model = model;
  }

  /**
   * Must be called with the calls of a response in their order.
   * @param responseId distinguishes this response from others
   */
  read({ id, name, args, signature }: FunctionCall, responseId: string): CalledTool {
    this.#count++;
    // A client matches results to calls by id: two calls of one response must not share one.
    const isNew = id !== undefined && !this.#given.has(id);
    const own = isNew ? id : madeId(`${responseId}/${this.#count}`);
    this.#given.add(own);
    return {
      id: signature === undefined ? own : withSignature(own, withModel(signature, this.#model)),
      name: this.#names.toCaller(name),
      arguments: JSON.stringify(args),
    };
  }
}

/** Deterministic: the same call always gets the same id, and other calls get other ids. */
function madeId(call: string): string {
  return `call_${createHash('sha256').update(call).digest('hex').slice(0, 24)}`;
}
