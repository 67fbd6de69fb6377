// What a vendor does not get of a client's request: one of another format, or one with a stored key.
import type { JsonObject } from '../../common/json.ts';
import { isGiven } from '../conversation/options.ts';
import { GatewayError } from '../errors.ts';
import type { Losses } from './client-format.ts';

export class LossList implements Losses {
  readonly #dropped = new Set<string>();
  refusal: GatewayError | undefined;

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }

  /**
   * A field whose loss does not change the meaning of the response.
   * @param path in the client's body; a field of many parts has one name, without their numbers
   */
  drop(path: string): void {
    this.#dropped.add(path.replaceAll(/\[\d+\]/g, ''));
  }

  /** The fields of an object that nobody reads. @param at path of the object */
  dropOthers(object: JsonObject, read: ReadonlySet<string>, at: string): void {
    for (const name of Object.keys(object)) {
      if (!read.has(name) && isGiven(object[name])) this.drop(`${at}.${name}`);
    }
  }

  /** A part without which the response would mean something else. The first one is reported. */
  refuse(path: string, message = `${path} is only supported by the vendor of this format`): void {
    this.refusal ??= refusedField(path, message);
  }
}

/** The refusal of a field that the target cannot or may not get. @param param in the client's body */
export function refusedField(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', { param, message, isClientParam: true });
}

/** The refusal of a part that a vendor's whole account shares, so that only the caller's own key may use it. */
export function ofAccount(param: string): GatewayError {
  return refusedField(param, `${param} names something of the whole vendor account; send its content instead`);
}

/** The refusal of a choice of further models, which no allow-list, limit or price has seen. */
export function ofOtherModels(param: string): GatewayError {
  return refusedField(param, `${param} lets the vendor call other models than the request names; use a route instead`);
}

/** The refusal of what a tool of the vendor, which the settings do not let pass, has left in the history. */
export function notEnabled(param: string): GatewayError {
  return refusedField(param, `${param} is of a tool of the vendor, which is not enabled`);
}

/** The given ones of these fields. */
export function givenOf(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => isGiven(body[name])).map((name) => [name, body[name]]));
}
