// Collects what a vendor of another format does not get of a client's request.
import { unsupported } from '../conversation/invalid.ts';
import type { GatewayError } from '../errors.ts';
import type { Losses } from './client-format.ts';

export class LossList implements Losses {
  readonly #dropped = new Set<string>();
  refusal: GatewayError | undefined;

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }

  /** A field whose loss does not change the meaning of the response. @param path in the client's body */
  drop(path: string): void {
    this.#dropped.add(path);
  }

  /** A part without which the response would mean something else. The first one is reported. */
  refuse(path: string, message = `${path} is only supported by the vendor of this format`): void {
    this.refusal ??= unsupported(path, message);
  }
}
