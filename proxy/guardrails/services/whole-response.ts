// Collects a streamed response for services that observe it: its texts, each in one piece, and all other fields, in
// order.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { slotsOf } from '../../../guardrails/inspection/inspection-schema.ts';
import { responseLocations } from '../../../guardrails/inspection/response-schema.ts';
import { type Piece, readDelta } from '../delta.ts';
import type { ServiceText } from './ask-services.ts';

interface Part {
  text: string;
  /** Builds a chunk with this text. */
  chunk(text: string): JsonObject;
}

export class WholeResponse {
  readonly #parts: Part[] = [];
  readonly #texts = new Map<string, Part>();
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  add(chunk: JsonObject): void {
    const choices = objectsOf(chunk.choices);
    if (choices.length === 0) this.#addRest(chunk);
    for (const choice of choices) this.#addChoice(choice, chunk);
  }

  /** All texts, each in one piece. */
  texts(): readonly ServiceText[] {
    const chunks = this.#parts.map(({ text, chunk }) => chunk(text));
    return slotsOf(chunks, responseLocations).map(({ text, isFixed }) => ({ text, isFixed }));
  }

  #addChoice(choice: JsonObject, chunk: JsonObject): void {
    const { pieces, calls, plain, others } = readDelta(isObject(choice.delta) ? choice.delta : {});
    const chunkOf = (delta: JsonObject) => ({ ...chunk, choices: [{ ...choice, delta }] });
    if (pieces.length === 0 || calls.length > 0 || others !== undefined) {
      this.#addRest(chunkOf(isObject(choice.delta) ? choice.delta : {}));
      return;
    }
    const index = plainNumber(choice.index) ?? choice.index;
    for (const [at, piece] of pieces.entries()) {
      const opening = at === 0 ? plain : {};
      this.#addText(`${index}.${piece.name}`, piece, (delta) => chunkOf({ ...opening, ...delta }));
    }
  }

  #addText(name: string, { text, shape }: Piece, chunkOf: (delta: JsonObject) => JsonObject): void {
    this.#length += text.length;
    const known = this.#texts.get(name);
    if (known !== undefined) {
      known.text += text;
      return;
    }
    const part: Part = { text, chunk: (all) => chunkOf(shape(all)) };
    this.#texts.set(name, part);
    this.#parts.push(part);
  }

  #addRest(chunk: JsonObject): void {
    this.#length += JSON.stringify(chunk).length;
    this.#parts.push({ text: '', chunk: () => chunk });
  }
}
