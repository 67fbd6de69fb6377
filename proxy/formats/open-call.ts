// A tool call of a response while its arguments arrive in pieces. If a forced tool replaces an output form that the
// model does not support, the input of that call is the response and is reported as text. Every other call is reported
// as a call.
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
  throw protocolError('a tool call of the response has no id or name');
}

export interface ToolCallContext {
  readonly sink: ResponseSink;
  readonly text: ResponseText;
  /** Receives text of the response. */
  content(text: string): void;
}

export class OpenCall {
  readonly kind = 'call';
  readonly id: string;
  readonly #context: ToolCallContext;
  /** Undefined for the call whose input is the response. */
  readonly #index: number | undefined;
  #hasInput = false;

  constructor({ id, name }: CallIdentity, context: ToolCallContext) {
    this.id = id;
    this.#context = context;
    this.#index = context.text.isResponseTool(name) ? undefined : context.sink.call(id, name);
  }

  /** Whether callers get it as a tool call. */
  get isReported(): boolean {
    return this.#index !== undefined;
  }

  input(json: string): void {
    if (json === '') return;
    const { sink, text, content } = this.#context;
    this.#hasInput = true;
    if (this.#index === undefined) content(text.pushInput(json));
    else sink.callArguments(this.#index, json);
  }

  /** A call without input gets empty arguments. */
  end(): void {
    if (!this.#hasInput) this.input('{}');
  }
}
