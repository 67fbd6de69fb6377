// A check that another service does: it is asked with whole texts, and may fail, which the guardrail's failure rule decides.
import type { Guardrail, Stage } from '../../../guardrails/definition.ts';
import type { OrganizationRecord } from '../../access/principal.ts';

export interface ServiceQuestion {
  readonly guardrail: Pick<Guardrail, 'id' | 'name'>;
  readonly stage: Stage;
  readonly requestId: string;
  /** The caller's. */
  readonly organization: OrganizationRecord;
  /** `<provider>/<model>` */
  readonly model: string;
  /** All texts of the stage, none empty. */
  readonly texts: readonly string[];
}

export type ServiceVerdict =
  | { readonly kind: 'pass' }
  /** @param texts what stands in place of each text where the service can say so; only then can a guardrail redact by it */
  | { readonly kind: 'found'; readonly labels: readonly string[]; readonly texts?: readonly string[] };

export interface ServiceCheck {
  /** @throws ServiceFailedError where it does not answer in time, answers what is no answer, or is being left alone */
  ask(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceVerdict>;
}

export class ServiceFailedError extends Error {
  /** A word for metrics and logs: "timeout", "unreachable", "refused", "answer", "busy", "resting", "no_key", "unknown". */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`a guardrail's service failed: ${reason}`, { cause });
    this.name = 'ServiceFailedError';
    this.reason = reason;
  }
}

/** A service's check of one guardrail, for one request. */
export interface ServiceGuard {
  readonly guardrail: Guardrail;
  /** Whether nothing of the answer leaves before it has answered; else it is asked when all has left. */
  readonly holds: boolean;
  /**
   * Asks, counts the decision and applies the failure rule.
   * @param isFixed by its index, whether nothing can be put in place of a text: what would have to be rewritten blocks
   * @returns the texts as they go on, in their order
   * @throws GatewayError guardrail_blocked
   */
  judge(
    texts: readonly string[],
    signal: AbortSignal,
    isFixed?: (index: number) => boolean,
  ): Promise<readonly string[]>;
}
