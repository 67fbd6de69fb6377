// The guardrails of organizations, as their records carry them. Where none applies a request is not even looked at.
import { type Compile, CompiledGuardrails } from './compiled.ts';
import type { Guardrails } from './guardrail.ts';
import { RequestInspection, type RequestInspectionDeps } from './request-inspection.ts';

export interface GuardrailsDeps extends RequestInspectionDeps {
  /** Default: the kinds of guardrails/index.ts. */
  readonly compile?: Compile;
}

export function createGuardrails(deps: GuardrailsDeps): Guardrails {
  const compiled = new CompiledGuardrails(deps.compile);
  return {
    inspect: (call, context) => {
      const applied = compiled.appliedTo(call.caller);
      if (applied === undefined) return { call, output: undefined };
      return new RequestInspection(call, context, applied, deps).inspect();
    },
  };
}
