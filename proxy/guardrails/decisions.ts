// Records what guardrails decided about one request: in metrics, in samples for the audit log, in a response header and
// in the access log. The matched text is never recorded.
import { blockedMessage, type Guardrail, type Stage } from '../../guardrails/definition.ts';
import type { Decision } from '../../proto/words/guardrails.ts';
import type { ChatCall } from '../call.ts';
import { GatewayError } from '../errors.ts';
import type { DecisionSamples } from './decision-samples.ts';
import type { GuardrailRecord } from './guardrail.ts';

export interface GuardrailMetrics {
  decided(guardrail: Pick<Guardrail, 'name' | 'check'>, stage: Stage, decision: Decision): void;
  /** The time that a stage took for one request: for its input, or for a response that is no stream. */
  took(stage: Stage, ms: number): void;
}

export interface DecisionsDeps {
  readonly metrics: GuardrailMetrics;
  readonly samples: Pick<DecisionSamples, 'add'>;
}

/** In seconds: a waiting request is served or refused within a few. */
const retryAfter = 5;
/** Maximum length of the response header. Entries beyond it are omitted. */
const headerLengthMax = 512;

/** After these, not all that a stage contains was inspected and passed. */
const withholding: ReadonlySet<Decision> = new Set([
  ...(['block', 'failed_block', 'failed_pass', 'unavailable'] as const),
]);

export class Decisions {
  readonly #call: ChatCall;
  readonly #record: GuardrailRecord;
  readonly #deps: DecisionsDeps;

  constructor(call: ChatCall, record: GuardrailRecord, deps: DecisionsDeps) {
    this.#call = call;
    this.#record = record;
    this.#deps = deps;
  }

  decided(guardrail: Guardrail, stage: Stage, decision: Decision): void {
    this.#deps.metrics.decided(guardrail, stage, decision);
    this.#report(`${guardrail.name}=${decision}`);
    if (decision === 'pass') return;
    if (withholding.has(decision)) this.#record.withheldStages = [...(this.#record.withheldStages ?? []), stage];
    const { requestId, caller } = this.#call;
    const { organization, key } = caller.principal;
    this.#deps.samples.add({
      guardrailId: guardrail.id,
      organizationId: organization.id,
      keyId: key.keyId,
      requestId,
      stage,
      decision,
    });
    this.#record.guardrailsNotPassed = appended(this.#record.guardrailsNotPassed, `${guardrail.name}=${decision}`);
  }

  /** For a stream, whose guardrails decide after the response headers were sent. */
  streams(guardrails: readonly Guardrail[]): void {
    for (const { name } of guardrails) this.#report(`${name}=stream`);
  }

  /** Counts the decision. @returns the error for the caller */
  refusal(guardrail: Guardrail, stage: Stage, decision: 'block' | 'failed_block'): GatewayError {
    this.decided(guardrail, stage, decision);
    this.#record.guardrailId = guardrail.id;
    return new GatewayError('guardrail_blocked', { message: blockedMessage(guardrail) });
  }

  /** Applies the failure rule. @throws GatewayError guardrail_blocked */
  failed(guardrail: Guardrail, stage: Stage): void {
    if (blocksOnFailure(guardrail)) throw this.refusal(guardrail, stage, 'failed_block');
    this.decided(guardrail, stage, 'failed_pass');
  }

  /**
   * The gateway lacked time or room to inspect. No failure rule applies: it is for a check that fails, and a caller
   * must not be able to trigger it by sending much.
   * @throws GatewayError guardrail_unavailable if one of the guardrails may block or redact
   */
  unavailable(guardrails: readonly Guardrail[], stage: Stage): void {
    for (const guardrail of guardrails) this.decided(guardrail, stage, 'unavailable');
    const holding = guardrails.find(({ action }) => action !== 'observe');
    if (holding === undefined) return;
    this.#record.guardrailId = holding.id;
    const message = `the guardrail ${holding.name} cannot inspect this right now; try again`;
    throw new GatewayError('guardrail_unavailable', { message, retryAfter });
  }

  #report(entry: string): void {
    const header = appended(this.#record.guardrailHeader, entry);
    if (header.length <= headerLengthMax) this.#record.guardrailHeader = header;
  }
}

/** A guardrail that only observes never blocks. */
export function blocksOnFailure({ action, onFailure }: Guardrail): boolean {
  return onFailure === 'block' && action !== 'observe';
}

function appended(entries: string | undefined, entry: string): string {
  return entries === undefined ? entry : `${entries}, ${entry}`;
}
