// A check that somebody else does, a service or a model: it is asked about texts, and may fail, which the guardrail's failure rule
// decides. What the gateway itself lacks is no failure of it: then it was not asked.
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
  /** The caller's. */
  readonly organization: OrganizationRecord;
  /** `<provider>/<model>` */
  readonly model: string;
  /** None empty. */
  readonly texts: readonly string[];
  /** UTF-16 units that are asked about at a time. */
  readonly window: number;
  /** What the texts are part of, as other guardrails have left it. */
  context(): RequestContext;
}

export type ServiceVerdict =
  | { readonly kind: 'pass' }
  /**
   * @param texts what stands in place of each text where the service says so itself
   * @param found what was found in each text, where it says that. Only with one of them can a guardrail redact by it
   */
  | {
      readonly kind: 'found';
      readonly labels: readonly string[];
      readonly texts?: readonly string[];
      readonly found?: readonly TextVerdict[];
    };

export interface ServiceCheck {
  /**
   * @throws ServiceFailedError where it does not answer in time, answers what is no answer, or is being left alone; NotRequestedError where
   * the gateway has no room, or no money, to ask it
   */
  ask(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceVerdict>;
}

export class ServiceFailedError extends Error {
  /** A word for metrics and logs: "timeout", "unreachable", "refused", "answer", "resting", "no_key", "no_price", "unknown". */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`a guardrail's service failed: ${reason}`, { cause });
    this.name = 'ServiceFailedError';
    this.reason = reason;
  }
}

/** Of the gateway's own: no failure rule is asked, because who could choose it by sending much would have a way past the guardrail. */
export class NotRequestedError extends Error {
  /** A word for metrics and logs: "busy", "budget". */
  readonly reason: string;
  /** What its caller is told; undefined: that nothing can be inspected now. */
  readonly refusal: GatewayError | undefined;

  constructor(
    reason: string,
    { cause, refusal }: { readonly cause?: unknown; readonly refusal?: GatewayError } = {},
  ) {
    super(`a guardrail's service was not asked: ${reason}`, { cause });
    this.name = 'NotAskedError';
    this.reason = reason;
    this.refusal = refusal;
  }
}

/** What is known of texts beside what they say, by their index. */
export interface RequestFacts {
  /** Nothing can be put in place of it: what would have to be rewritten blocks. */
  isFixed?(index: number): boolean;
  /** All of it, and no part of a longer text. */
  isWhole?(index: number): boolean;
  /** Of what is found in it. Default: fresh ones for each text. */
  placeholders?(index: number): Placeholders;
}

/** A service's check of one guardrail, for one stage of one request. */
export interface ServiceGuard {
  readonly guardrail: Guardrail;
  /** Whether nothing of the answer leaves before it has answered; else it is asked when all has left. */
  readonly holds: boolean;
  /** UTF-16 units of a text that it is asked about at a time: see windows.ts. */
  readonly window: number;
  /**
   * Asks, and applies the failure rule.
   * @returns the texts as they go on, in their order
   * @throws GatewayError guardrail_blocked, guardrail_unavailable, those of budgets
   */
  judge(texts: readonly string[], signal: AbortSignal, about?: RequestFacts): Promise<readonly string[]>;
  /** Nothing more is asked: counts what was decided. Not after a refusal, nor where nothing was asked. */
  ended(): void;
}

const form = /^[A-Z][A-Z0-9_]{0,63}$/;
const labelsMax = 20;

/**
 * What another service says it has found. Its words are its own, so only those in the form of labels are taken. Others are left out: what
 * was found counts without a name too.
 * @param said as it came
 */
export function labelsIn(stated: unknown): readonly string[] {
  if (!Array.isArray(stated)) return [];
  const labels = stated.filter((label): label is string => typeof label === 'string' && form.test(label));
  return [...new Set(labels)].slice(0, labelsMax);
}
