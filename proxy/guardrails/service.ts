// A check by an external service or a model. It gets texts and may fail; then the guardrail's failure rule decides. If
// the gateway itself lacks a resource, the service was not called and has not failed.
import type { Guardrail, Stage } from '../../guardrails/definition.ts';
import type { Placeholders } from '../../guardrails/placeholders.ts';
import type { RequestContext, TextVerdict } from '../../guardrails/services/adapter.ts';
import type { Caller } from '../access/authenticator.ts';
import type { OrganizationRecord } from '../access/principal.ts';
import type { GatewayError } from '../errors.ts';

export interface ServiceQuestion {
  readonly guardrail: Pick<Guardrail, 'id' | 'name' | 'action'>;
  readonly stage: Stage;
  readonly requestId: string;
  readonly caller: Caller;
  /** The caller's organization. */
  readonly organization: OrganizationRecord;
  /** `<provider>/<model>` */
  readonly model: string;
  /** No text is empty. */
  readonly texts: readonly string[];
  /** In UTF-16 units: how much text the service gets at once. */
  readonly window: number;
  /** The conversation that the texts belong to, as other guardrails have left it. */
  context(): RequestContext;
}

export type ServiceVerdict =
  | { readonly kind: 'pass' }
  /**
   * @param texts the replacement of each text, if the service returns that
   * @param found the matches in each text, if the service returns them. A guardrail can redact only with one of the two
   */
  | {
      readonly kind: 'found';
      readonly labels: readonly string[];
      readonly texts?: readonly string[];
      readonly found?: readonly TextVerdict[];
    };

export interface ServiceCheck {
  /**
   * @throws ServiceFailedError if the service does not respond in time, its response is unreadable, or its breaker is
   * open; NotRequestedError if the gateway has no room, or no money, for the call
   */
  ask(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceVerdict>;
}

export class ServiceFailedError extends Error {
  /**
   * For metrics and logs: "timeout", "unreachable", "refused", "answer", "resting", "no_key", "no_price", "stopped",
   * "unknown".
   */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`a guardrail's service failed: ${reason}`, { cause });
    this.name = 'ServiceFailedError';
    this.reason = reason;
  }
}

/** The gateway lacked a resource. No failure rule applies: else a caller could bypass the guardrail by sending much. */
export class NotRequestedError extends Error {
  /** For metrics and logs: "busy", "budget". */
  readonly reason: string;
  /** The error for the caller. If undefined, the caller learns that nothing can be inspected now. */
  readonly refusal: GatewayError | undefined;

  constructor(reason: string, { cause, refusal }: { readonly cause?: unknown; readonly refusal?: GatewayError } = {}) {
    super(`a guardrail's service was not called: ${reason}`, { cause });
    this.name = 'NotRequestedError';
    this.reason = reason;
    this.refusal = refusal;
  }
}

/** Facts about texts beside their content, by their index. */
export interface RequestFacts {
  /** Nothing in it can be replaced: a match that would be redacted blocks. */
  isFixed?(index: number): boolean;
  /** It is a whole text, not a part of a longer one. */
  isWhole?(index: number): boolean;
  /** Placeholders for its matches. Default: new ones for each text. */
  placeholders?(index: number): Placeholders;
}

/** A service's check of one guardrail, for one stage of one request. */
export interface ServiceGuard {
  readonly guardrail: Guardrail;
  /**
   * Whether the response waits for this service. Otherwise the service is called when the whole response has been sent.
   */
  readonly delaysResponse: boolean;
  /** In UTF-16 units: how much of a text it gets at once, see windows.ts. */
  readonly window: number;
  /**
   * Calls the service and applies the failure rule.
   * @returns the texts after redaction, in their order
   * @throws GatewayError guardrail_blocked, guardrail_unavailable, those of budgets
   */
  inspect(texts: readonly string[], signal: AbortSignal, about?: RequestFacts): Promise<readonly string[]>;
  /** Counts the decision after the last call. Not called after a refusal or without a call. */
  ended(): void;
}

const form = /^[A-Z][A-Z0-9_]{0,63}$/;
const labelsMax = 20;

/**
 * Reads the labels that another service returns. Only values in the form of labels are used, because the service can
 * return any text. Others are omitted: a match counts without a label too.
 * @param stated the value as received
 */
export function labelsIn(stated: unknown): readonly string[] {
  if (!Array.isArray(stated)) return [];
  const labels = stated.filter((label): label is string => typeof label === 'string' && form.test(label));
  return [...new Set(labels)].slice(0, labelsMax);
}
