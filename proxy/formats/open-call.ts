// A tool call of an answer while its arguments come in pieces. The call that gives the answer itself, where a tool stands in for a
// form that the model cannot be held to, is told as text; every other one as the call it is.

import type { ResponseText } from '../conversation/output-mode.ts';
import type { ResponseSink } from '../conversation/response.ts';
import { protocolError } from './protocol-error.ts';

export interface CallIdentity {
  readonly id: string;
  readonly name: string;
}

/** @throws GatewayError upstream_protocol_error for a call without id or name */
export function callIdentity(id: unknown, name: unknown): CallIdentity {
  if (typeof id === 'string' && typeof name === 'string' && id !== '' && name !== '') return { id, name };
  throw protocolError('a tool call of the answer has no id or name');
}

export interface ToolCallContext {
  readonly sink: ResponseSink;
  readonly text: ResponseText;
  /** Tells text of the answer. */
  content(text: string): void;
}

export class OpenCall {
  readonly kind = 'call';
  readonly id: string;
  readonly #tellers: ToolCallContext;
  /** Undefined for the call that gives the answer. */
  readonly #index: number | undefined;
  #hasInput = false;

  constructor({ id, name }: CallIdentity, tellers: ToolCallContext) {
    this.id = id;
    this.#tellers = tellers;
    this.#index = tellers.text.isAnswer(name) ? undefined : tellers.sink.call(id, name);
  }

  /** Whether callers are told of it as a call. */
  get isTold(): boolean {
    return this.#index !== undefined;
  }

  input(json: string): void {
    if (json === '') return;
    const { sink, text, content } = this.#tellers;
    this.#hasInput = true;
    if (this.#index === undefined) content(text.answered(json));
    else sink.callArguments(this.#index, json);
  }

  /** A call without input is one without arguments. */
  end(): void {
    if (!this.#hasInput) this.input('{}');
  }
}
