// Writes a stream for clients of generateContent (SDK type `GenerateContentResponse` of @google/genai, one for each
// piece): events, or the elements of a JSON array. A call is one part, written once its arguments are complete; the
// last piece has the reason of the end and the usage.
import type { JsonObject } from '../../../common/json.ts';
import { objectsOf } from '../../../common/json.ts';
import type { CalledTool, Finish, ResponseIdentity, ThinkingBlock } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { PathFields } from '../client-format.ts';
import type { StreamWriter } from '../format.ts';
import { callPart, finishReason, imagePart, responseId, textSignature, usageFields } from './client-response.ts';
import { thoughtEnd, withThoughts } from './client-thoughts.ts';

export class ClientStreamWriter implements StreamWriter {
  readonly #isArray: boolean;
  #written = '';
  #pieces = 0;
  #identity: ResponseIdentity | undefined;
  #calls = 0;
  /** Calls that may not be complete yet, by their index. */
  readonly #waiting = new Map<number, CalledTool>();
  /** Of the latest thought, so far. */
  #thought = '';
  /** The thoughts since the last call. */
  #thoughts: JsonObject[] = [];
  #finish: Finish = { reason: 'stop', native: undefined };
  #signature: string | undefined;
  textTokens = 0;

  constructor({ framing }: Pick<PathFields, 'framing'>) {
    this.#isArray = framing === 'json_array';
  }

  get started(): boolean {
    return this.#identity !== undefined;
  }

  get calls(): number {
    return this.#calls;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.#written);
    this.#written = '';
    return bytes;
  }

  start(identity: ResponseIdentity): void {
    this.#identity = identity;
  }

  content(text: string): void {
    this.#text({ text });
  }

  reasoning(text: string): void {
    this.#thought += text;
    this.#text({ text, thought: true });
  }

  thought(block: ThinkingBlock): void {
    const parts = thoughtEnd(block);
    if (parts.length > 0) this.#parts([...this.#completed(), ...parts]);
    this.#thoughts.push(block.type === 'thinking' ? { ...block, thinking: this.#thought } : { ...block });
    this.#thought = '';
  }

  call(id: string, name: string, args = ''): number {
    this.textTokens += textTokensMax(name) + textTokensMax(args);
    const index = this.#calls++;
    this.#waiting.set(index, { id, name, arguments: args });
    return index;
  }

  callArguments(index: number, args: string): void {
    const call = this.#waiting.get(index);
    if (call === undefined) return;
    this.textTokens += textTokensMax(args);
    this.#waiting.set(index, { ...call, arguments: call.arguments + args });
  }

  /** A refusal is text here; images and the signature of the text are parts. */
  extra(fields: JsonObject): void {
    if (typeof fields.refusal === 'string') this.content(fields.refusal);
    for (const part of objectsOf(fields.images).flatMap(imagePart)) this.#parts([part]);
    this.#signature = textSignature(fields) ?? this.#signature;
  }

  logprobs(): void {}

  finish(finish: Finish): void {
    this.#finish = finish;
  }

  end(usage: Usage): void {
    const signature = this.#signature === undefined ? {} : { thoughtSignature: this.#signature };
    const calls = this.#completed();
    // The SDK takes no content without parts for a valid one.
    const text = calls.length > 0 && this.#signature === undefined ? [] : [{ text: '', ...signature }];
    const candidate = {
      content: { role: 'model', parts: [...text, ...calls] },
      ...{ finishReason: finishReason(this.#finish), index: 0 },
    };
    this.#piece({ candidates: [candidate], usageMetadata: usageFields(usage) });
    if (this.#isArray) this.#written += ']';
  }

  #text(part: { readonly text: string; readonly thought?: true }): void {
    if (part.text === '') return;
    this.textTokens += textTokensMax(part.text);
    this.#parts([...this.#completed(), part]);
  }

  /** Another part begins, so the calls before it are complete. */
  #completed(): readonly JsonObject[] {
    if (this.#waiting.size === 0) return [];
    const calls = withThoughts([...this.#waiting.values()].map(callPart), this.#thoughts);
    this.#waiting.clear();
    this.#thoughts = [];
    return calls;
  }

  #parts(parts: readonly JsonObject[]): void {
    this.#piece({ candidates: [{ content: { role: 'model', parts }, index: 0 }] });
  }

  #piece(fields: JsonObject): void {
    const { model = '', id = '' } = this.#identity ?? {};
    const json = JSON.stringify({ ...fields, modelVersion: model, responseId: responseId(id) });
    const isFirst = this.#pieces++ === 0;
    this.#written += this.#isArray ? `${isFirst ? '[' : ',\r\n'}${json}` : `data: ${json}\n\n`;
  }
}
