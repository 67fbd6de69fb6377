// What the answer of one request is held against, complete or streamed: made once for the request, when its input is inspected.
import type { Placeholders } from '../../guardrails/placeholders.ts';
import type { BlockedError, Guard } from '../../guardrails/window.ts';
import type { GatewayError } from '../errors.ts';
import type { ServiceGuard } from './services/service.ts';

export interface AnswerGuards {
  /**
   * A fresh set for one text of the answer (content, reasoning, refusal, arguments of one call…): placeholders are numbered text by
   * text, so that a stream, which brings texts in another order, gives what a complete answer gives.
   * @param form fixed: of a text in which nothing can be replaced, because it would be broken; what would be replaced blocks
   */
  guards(form?: 'fixed'): readonly Guard[];
  /** Fresh ones for what services find in one text. */
  placeholders(): Placeholders;
  /** UTF-16 units: the longest finding that never leaves a stream in pieces. */
  readonly window: number;
  /** Services that are asked about what is left. */
  readonly services: readonly ServiceGuard[];
  /** Texts that are longer than this, all of an answer together, are not inspected: the guardrails' failure rules hold. */
  readonly textMax: number;
  /** The failure rules of all guardrails that would have inspected a text that is too long. @throws GatewayError where one blocks */
  tooLong(): void;
  /** What the caller is told; counts the decision. */
  refusal(error: BlockedError): GatewayError;
  /** The answer has gone through to its end: counts what was decided about it, services aside. Once; not after a refusal. */
  ended(): void;
}
