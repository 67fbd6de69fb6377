// Bounds the structure of a JSON text while it arrives, before anything parses it: nesting depth and the number of
// structural characters outside strings. One pass over bytes, so hostile bodies cost no more than their transfer.
import { GatewayError } from '../errors.ts';

export interface JsonLimits {
  readonly jsonDepthMax: number;
  readonly jsonStructuralMax: number;
}

const quote = 0x22;
const backslash = 0x5c;

/** What a byte outside strings does to the depth; undefined = it is not structural. */
const depthSteps: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if ('{['.includes(character)) return 1;
  if ('}]'.includes(character)) return -1;
  return ',:'.includes(character) ? 0 : undefined;
});

export class JsonGuard {
  readonly #limits: JsonLimits;
  #depth = 0;
  #structural = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** @throws GatewayError invalid_request once a limit is passed */
  push(chunk: Uint8Array): void {
    const { jsonDepthMax: depthMax, jsonStructuralMax: structuralMax } = this.#limits;
    let depth = this.#depth;
    let structural = this.#structural;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
        continue;
      }
      if (byte === quote) inString = true;
      const step = depthSteps[byte];
      if (step === undefined) continue;
      structural++;
      depth += step;
      if (depth > depthMax) this.#refuse(`nested deeper than ${depthMax} levels`);
    }
    if (structural > structuralMax) {
      this.#refuse(`made of more than ${structuralMax} structural characters`);
    }
    this.#depth = depth;
    this.#structural = structural;
    this.#inString = inString;
    this.#escaped = escaped;
  }

  #refuse(how: string): never {
    throw new GatewayError('invalid_request', { message: `the body is ${how}` });
  }
}
