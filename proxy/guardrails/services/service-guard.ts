// What becomes of a service's verdict, by its guardrail's action, and of its failure, by the guardrail's failure rule.
import type { Guardrail, Stage } from '../../../guardrails/definition.ts';
import type { ChatCall } from '../../chat/call.ts';
import type { Decisions } from '../decisions.ts';
import {
  type ServiceCheck,
  ServiceFailedError,
  type ServiceGuard,
  type ServiceQuestion,
  type ServiceVerdict,
} from './service.ts';

/** What the decisions of one stage of a request are about, and where they go. */
export interface ServiceContext {
  readonly call: ChatCall;
  readonly stage: Stage;
  readonly decisions: Pick<Decisions, 'decided' | 'refusal' | 'failed'>;
}

export function createServiceGuard(
  guardrail: Guardrail,
  check: ServiceCheck,
  context: ServiceContext,
): ServiceGuard {
  const { stage, decisions } = context;
  const question = questionOf(guardrail, context);
  return {
    guardrail,
    holds: guardrail.action !== 'observe',
    judge: async (texts, signal, isFixed = () => false) => {
      try {
        const verdict = await check.ask({ ...question, texts }, signal);
        return decide({ texts, isFixed }, verdict, guardrail, context);
      } catch (error) {
        if (!(error instanceof ServiceFailedError)) throw error;
        decisions.failed(guardrail, stage);
        return texts;
      }
    },
  };
}

function questionOf(guardrail: Guardrail, { call, stage }: ServiceContext): Omit<ServiceQuestion, 'texts'> {
  const { requestId, caller, qualifiedModel } = call;
  return { guardrail, stage, requestId, organization: caller.principal.organization, model: qualifiedModel };
}

interface Asked {
  readonly texts: readonly string[];
  isFixed(index: number): boolean;
}

/** @returns the texts as they go on. @throws GatewayError guardrail_blocked */
function decide(
  { texts, isFixed }: Asked,
  verdict: ServiceVerdict,
  guardrail: Guardrail,
  { stage, decisions }: ServiceContext,
): readonly string[] {
  const decision = verdict.kind === 'pass' ? 'pass' : guardrail.action;
  const redacted = verdict.kind === 'found' ? verdict.texts : undefined;
  // Where nothing says what stands in place of what was found, or nothing can stand there, redacting is blocking.
  const isPutInPlace = redacted?.every((text, index) => text === texts[index] || !isFixed(index)) === true;
  if (decision === 'block' || (decision === 'redact' && !isPutInPlace))
    throw decisions.refusal(guardrail, stage, 'block');
  decisions.decided(guardrail, stage, decision);
  return decision === 'redact' && redacted !== undefined ? redacted : texts;
}
