// The chunks of a stream. Frames that only report content-filter results have no choices, or choices without a delta,
// and break clients: they are dropped unless they contain a finish reason. Every choice ends with a finish reason.
import { plainNumber } from '../../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import { protocolError } from '../../protocol-error.ts';
import type { ChunkChanges } from '../pass-stream.ts';
import { ChoiceReader, isReason } from './choice.ts';
import { checked } from './read-response.ts';
import type { ResponsePlan } from './request-plan.ts';

export class StudioChunks implements ChunkChanges {
  readonly #plan: ResponsePlan;
  readonly #choices = new Map<number, ChoiceReader>();
  /** Fields that every chunk repeats. Frames of the filter lack them. */
  #head: JsonObject = {};

  constructor(plan: ResponsePlan) {
    this.#plan = plan;
  }

  chunk(chunk: JsonObject): JsonObject | undefined {
    const { id, object, created, model } = chunk;
    const hasHead = typeof id === 'string' && id !== '';
    if (hasHead) this.#head = { id, object, created, model };
    const all: unknown = chunk.choices;
    if (!Array.isArray(all)) throw protocolError('an event of the stream is no chunk');
    const choices = all.map(checked).filter(isContent);
    if (choices.length === 0) return undefined;
    const read = choices.map((choice) => this.#reader(indexOf(choice)).delta(choice));
    const asSent = read.length === all.length && read.every((choice, index) => choice === all[index]);
    if (asSent && hasHead) return chunk;
    return { ...chunk, ...this.#head, choices: read };
  }

  end(): readonly JsonObject[] {
    return [...this.#choices].flatMap(([index, reader]) => {
      const rest = reader.end();
      return rest === undefined ? [] : [{ ...this.#head, choices: [{ index, ...rest }] }];
    });
  }

  #reader(index: number): ChoiceReader {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const reader = new ChoiceReader(this.#plan);
    this.#choices.set(index, reader);
    return reader;
  }
}

function isContent({ delta, finish_reason }: JsonObject): boolean {
  return isObject(delta) || isReason(finish_reason);
}

function indexOf({ index }: JsonObject): number {
  return plainNumber(index) ?? 0;
}
