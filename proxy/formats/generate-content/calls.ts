// Function calls on their way to the caller: the caller's own name, an id where the vendor gave none, and the vendor's signature
// on the id, the one thing that every client sends back.
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

  /** @param model the vendor's name of it, as it was requested */
  constructor(names: FunctionNames, model: string) {
    this.#names = names;
    this.#model = model;
  }

  /**
   * To be given the calls of a response in their order.
   * @param responseId tells this response from others
   */
  read({ id, name, args, signature }: FunctionCall, responseId: string): CalledTool {
    this.#count++;
    // A client ties results to calls by id: two of one response must not share one.
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

/** The same for the same call, and no other's. */
function madeId(call: string): string {
  return `call_${createHash('sha256').update(call).digest('hex').slice(0, 24)}`;
}
