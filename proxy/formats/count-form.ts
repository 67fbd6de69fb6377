// How a vendor counts the tokens of a request without calling the model: the form of its counter's requests, responses
// and errors.
import type { JsonObject } from '../../common/json.ts';
import type { VendorError } from './format.ts';

export interface CountForm {
  /**
   * The counter's body, without the fields that only a call of the model has: they change no count, and the vendor
   * refuses them.
   * @param body JSON of a request that would call the model
   * @param model the vendor's name of it
   */
  writeBody(body: string, model: string): string;
  /** The number of tokens in a response of status 2xx; anything else if there is none. */
  tokensIn(response: JsonObject): unknown;
  /** Whether an error of status 400 is about the model, which the vendor cannot count for. Default: no error is. */
  lacksModel?(error: VendorError): boolean;
}

/** The vendor has not counted, for a reason that is not in the client's request. */
export class NotCountedError extends Error {
  constructor({ message }: VendorError) {
    super(message);
    this.name = 'NotCountedError';
  }
}
