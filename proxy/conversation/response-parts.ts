// Where the parts of an answer are told as a vendor's blocks are read: the chunks of a stream (ChunkWriter), or all of them
// together, for an answer that is complete. Read the same way, both say the same.
import type { JsonObject } from '../../common/json.ts';
import type { CalledTool, CompletionChoice } from '../formats/chat-completions/write-response.ts';

export interface AnswerSink {
  content(text: string): void;
  reasoning(text: string): void;
  /** Begins a call. @returns its index for `callArguments` */
  call(id: string, name: string): number;
  callArguments(index: number, args: string): void;
  /** Further fields of the message. */
  extra(fields: JsonObject): void;
}

export class AnswerParts implements AnswerSink {
  #content = '';
  #reasoning = '';
  readonly #calls: CalledTool[] = [];
  readonly #extras: JsonObject = {};

  /** All that was told, as a choice of a completion has it. */
  told(): Omit<CompletionChoice, 'finish'> {
    return {
      content: this.#content === '' ? undefined : this.#content,
      reasoning: this.#reasoning,
      calls: this.#calls,
      extras: this.#extras,
    };
  }

  content(text: string): void {
    this.#content += text;
  }

  reasoning(text: string): void {
    this.#reasoning += text;
  }

  call(id: string, name: string): number {
    return this.#calls.push({ id, name, arguments: '' }) - 1;
  }

  callArguments(index: number, args: string): void {
    const called = this.#calls[index];
    if (called !== undefined) this.#calls[index] = { ...called, arguments: called.arguments + args };
  }

  extra(fields: JsonObject): void {
    Object.assign(this.#extras, fields);
  }
}
