// Counts a stream and writes nothing: for responses that the client gets as the vendor sent them.
import type { JsonObject } from '../../common/json.ts';
import { textTokensMax } from '../conversation/text-tokens.ts';
import type { StreamWriter } from './format.ts';

const nothing = Buffer.alloc(0);

export class CountingWriter implements StreamWriter {
  started = false;
  calls = 0;
  textTokens = 0;

  start(): void {
    this.started = true;
  }

  content(text: string): void {
    this.textTokens += textTokensMax(text);
  }

  reasoning(text: string): void {
    this.textTokens += textTokensMax(text);
  }

  call(_id: string, name: string, args = ''): number {
    this.textTokens += textTokensMax(name) + textTokensMax(args);
    return this.calls++;
  }

  callArguments(_index: number, args: string): void {
    this.textTokens += textTokensMax(args);
  }

  extra(_fields: JsonObject): void {}

  logprobs(): void {}

  finish(): void {}

  end(): void {}

  take(): Buffer {
    return nothing;
  }
}
