// Writes the common stream shape: chunks from a vendor's stream (SDK type `ChatCompletionChunk`), in the order that
// clients need: role first, a call's id and name before its arguments, one finish reason, usage if requested, then
// [DONE].
import type { JsonObject } from '../../../common/json.ts';
import type { Finish, ThinkingBlock } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import { type CostText, costField, type Usage } from '../../conversation/usage.ts';
import { type CompletionForm, finishExtras, finishReasonOf, usageBody } from './write-response.ts';

export interface ChunkOptions extends Pick<CompletionForm, 'asFunctions'> {
  /** The caller requested the usage chunk. */
  readonly includeUsage: boolean;
  readonly costText?: CostText | undefined;
  /** The client's format has blocks of thinking: each is written when it ends, not all of them at the end. */
  readonly separateThoughts?: boolean;
  /** The form in which the client gets such a block; none if it does not get it. Default: unchanged. */
  readonly formOfThought?: ((block: ThinkingBlock) => readonly ThinkingBlock[]) | undefined;
}

/** Fields that every chunk of a stream repeats. */
export interface ChunkIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

export class ChunkWriter {
  readonly #options: ChunkOptions;
  #head = '';
  #written = '';
  #calls = 0;
  #textTokens = 0;

  constructor(options: ChunkOptions) {
    this.#options = options;
  }

  /** Whether `start` was called. */
  get started(): boolean {
    return this.#head !== '';
  }

  /** Number of calls begun, in all choices. */
  get calls(): number {
    return this.#calls;
  }

  /** The most tokens that all text, reasoning and calls so far can consist of. */
  get textTokens(): number {
    return this.#textTokens;
  }

  /** Returns the bytes for the caller written since the last call. */
  take(): Buffer {
    const bytes = Buffer.from(this.#written);
    this.#written = '';
    return bytes;
  }

  /** Sets the fields of all chunks and writes the role. */
  start({ id, created, model }: ChunkIdentity, choices = 1): void {
    const fields = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#head = `data: ${fields.slice(0, -1)},"system_fingerprint":null`;
    for (let index = 0; index < choices; index++) this.#delta({ role: 'assistant', content: '' }, index);
  }

  content(text: string, choice = 0): void {
    if (text === '') return;
    this.#textTokens += textTokensMax(text);
    this.#delta({ content: text }, choice);
  }

  reasoning(text: string, choice = 0): void {
    if (text === '') return;
    this.#textTokens += textTokensMax(text);
    this.#delta({ reasoning_content: text }, choice);
  }

  /** Writes message fields that only some vendors have: `thinking_blocks`, `annotations`… */
  extra(fields: JsonObject, choice = 0): void {
    if (this.#options.separateThoughts !== true || fields.thinking_blocks === undefined) this.#delta(fields, choice);
  }

  /** The text of the block came before, as reasoning. */
  thought(block: ThinkingBlock): void {
    if (this.#options.separateThoughts !== true) return;
    const { formOfThought = (one) => [one] } = this.#options;
    const signed = formOfThought(block).map((one) => (one.type === 'thinking' ? { ...one, thinking: '' } : one));
    if (signed.length > 0) this.#delta({ thinking_blocks: signed }, 0);
  }

  /** Logprobs of the content tokens since the last call: `content` and `refusal` of a choice's `logprobs`. */
  logprobs(logprobs: JsonObject, choice = 0): void {
    this.#delta({}, choice, logprobs);
  }

  /** Begins a call; its arguments may follow in pieces. @returns the call's index for `callArguments` */
  call(id: string, name: string, args = ''): number {
    const index = this.#calls++;
    this.#textTokens += textTokensMax(name) + textTokensMax(args);
    const called = { name, arguments: args };
    if (this.#options.asFunctions) {
      // The deprecated form has one call only.
      if (index === 0) this.#delta({ function_call: called }, 0);
    } else this.#delta({ tool_calls: [{ index, id, type: 'function', function: called }] }, 0);
    return index;
  }

  callArguments(index: number, args: string): void {
    if (args === '') return;
    this.#textTokens += textTokensMax(args);
    if (!this.#options.asFunctions) {
      this.#delta({ tool_calls: [{ index, function: { arguments: args } }] }, 0);
    } else if (index === 0) this.#delta({ function_call: { arguments: args } }, 0);
  }

  /** @param extras further top-level fields of the chunk */
  finish(finish: Finish, extras: JsonObject = {}, choice = 0): void {
    const reason = JSON.stringify(finishReasonOf(finish.reason, this.#options));
    const why = fieldsOf(finishExtras(finish));
    const choices = `[{"index":${choice},"delta":{},"logprobs":null,"finish_reason":${reason}${why}}]`;
    this.#written += `${this.#head},"choices":${choices}${fieldsOf(extras)}}\n\n`;
  }

  /** Writes the usage chunk, if requested, and the end marker. */
  end(usage: Usage, usageExtras: JsonObject = {}): void {
    if (this.#options.includeUsage) {
      // Usage that the vendor did not report has no known cost.
      const isReported = usage.promptTokens + usage.completionTokens > 0;
      const cost = isReported ? this.#options.costText?.(usage) : undefined;
      const body = JSON.stringify({ ...usageBody(usage, usageExtras), ...(cost && { [costField]: cost }) });
      this.#written += `${this.#head},"choices":[],"usage":${body}}\n\n`;
    }
    this.#written += 'data: [DONE]\n\n';
  }

  #delta(delta: JsonObject, choice: number, logprobs: JsonObject | null = null): void {
    const fields = `"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs)}`;
    this.#written += `${this.#head},"choices":[{"index":${choice},${fields},"finish_reason":null}]}\n\n`;
  }
}

/** JSON text that can follow other fields of an object. */
function fieldsOf(more: JsonObject): string {
  const fields = JSON.stringify(more).slice(1, -1);
  return fields === '' ? '' : `,${fields}`;
}
