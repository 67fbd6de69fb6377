// The interface of guardrails for the request path.

import type { Stage } from '../../guardrails/definition.ts';
import type { Caller } from '../access/authenticator.ts';
import type { ChatCall } from '../call.ts';
import type { AttemptResult } from '../upstream/attempt.ts';

export interface Guardrails {
  /**
   * Inspects all text that the model will see. Returns a promise only if it has to wait for the event loop, a worker or
   * a service.
   * @throws GatewayError guardrail_blocked, guardrail_unavailable
   */
  inspect(call: ChatCall, context: InspectContext): Inspection | Promise<Inspection>;
  /** Whether a guardrail inspects all responses to the caller. */
  guardsResponses(caller: Caller): boolean;
}

/** The parts of the request that guardrails need. */
export interface InspectContext {
  /** Updated at each decision, so that a refusal reports it too. */
  readonly record: GuardrailRecord;
  /** Registers what to abort when the request is aborted from outside. */
  onAbort(abortable: { abort(error: Error): void }): void;
  /** Accounts memory for text that stays until the request ends. @throws GatewayError overloaded */
  buffer(bytes: number): void;
}

export interface GuardrailRecord {
  /** Value of `x-svc-guardrails`; undefined if no guardrail applies. */
  guardrailHeader: string | undefined;
  /** For the access log: the guardrails that did not pass, in the header's form; undefined if all passed. */
  guardrailsNotPassed: string | undefined;
  /** The guardrail that refused the request or its response; absent: none did. */
  guardrailId?: string | undefined;
  /** Stages of which a guardrail blocked the text or did not inspect all of it; absent: none. */
  withheldStages?: readonly Stage[] | undefined;
}

export interface Inspection {
  /** The call; its request may be redacted. */
  readonly call: ChatCall;
  /** Undefined: the response reaches the caller unchanged. */
  readonly output: OutputGuard | undefined;
  /** Placeholders that the response is to have no more, with what stands for them there; absent: none. */
  readonly restored?: ReadonlyMap<string, string>;
}

/** Guards the response to one request. */
export interface OutputGuard {
  /**
   * Resolves when bytes may be sent to the caller: for a complete response after its inspection, for a stream once its
   * first bytes are decided.
   * @throws GatewayError guardrail_blocked, guardrail_unavailable, before any byte of the response
   */
  guard(result: AttemptResult): AttemptResult | Promise<AttemptResult>;
  /** The error for the caller if the call fails before a response. Guardrails inspect the provider's message too. */
  failure(error: unknown): unknown;
}
