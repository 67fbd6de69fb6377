// Guardrails as the request path sees them.
import type { ChatCall } from '../call.ts';
import type { AttemptResult } from '../upstream/attempt.ts';

export interface Guardrails {
  /**
   * Inspects all text the model will see. A promise only where a turn, a worker or another service has to be waited for.
   * @throws GatewayError guardrail_blocked, guardrail_unavailable
   */
  inspect(call: ChatCall, context: InspectContext): Inspection | Promise<Inspection>;
}

/** The request that is inspected, as far as guardrails need it. */
export interface InspectContext {
  /** Filled in at each decision, so that a refusal tells it too. */
  readonly record: GuardrailRecord;
  /** Says what is ended when the request is ended from outside. */
  onAbort(abortable: { abort(error: Error): void }): void;
  /** Takes room for text that is held until the request ends. @throws GatewayError overloaded */
  buffer(bytes: number): void;
}

export interface GuardrailRecord {
  /** Value of `x-svc-guardrails`; undefined where none applies. */
  guardrailHeader: string | undefined;
  /** For the access log: the guardrails that did not pass, in the header's form; undefined where all did. */
  guardrailsNotPassed: string | undefined;
}

export interface Inspection {
  /** With a request that may have been redacted. */
  readonly call: ChatCall;
  /** Undefined: the answer goes to the caller as it is. */
  readonly output: OutputGuard | undefined;
}

/** What the answer of one request goes through. */
export interface OutputGuard {
  /**
   * Resolves when bytes may go to the caller: of a complete answer when it is inspected, of a stream when its first bytes are
   * decided.
   * @throws GatewayError guardrail_blocked, guardrail_unavailable, before any byte of the answer
   */
  guard(result: AttemptResult): AttemptResult | Promise<AttemptResult>;
  /** What the caller may be told of a failure before there was an answer: the provider's words go through guardrails as well. */
  failure(error: unknown): unknown;
}
