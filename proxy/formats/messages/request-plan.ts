// What of a request decides how its answer is read: the tools that the vendor gets, and the form in which it is to answer.
// Worked out anew for the request and for its answer, always to the same result.
import { readResponseFormat } from '../../conversation/options.ts';
import { type AnswerForm, answerForm, withAnswerTool } from '../../conversation/output-mode.ts';
import { readTools, type Tools } from '../../conversation/tools.ts';
import { StrictSchemas } from '../../models/claude/schema.ts';
import type { ProviderCall } from '../../providers/provider.ts';

export interface Plan {
  /** With the one that gives the answer, where the form needs it. */
  readonly tools: Tools;
  readonly form: AnswerForm;
  /** What of the vendor's limits is left for strict tools. */
  readonly schemas: StrictSchemas;
  /** Something of the answer's schema stands in a description. */
  readonly movesFormat: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function readPlan({ request, traits }: ProviderCall): Plan {
  const { body } = request;
  const schemas = new StrictSchemas();
  const tools = readTools(body);
  const form = answerForm(readResponseFormat(body), tools, {
    native: (schema) => (traits.jsonSchema ? schemas.take(schema) : undefined),
    forcedTools: traits.forcedTools,
  });
  const movesFormat = schemas.takeMoves();
  return { tools: withAnswerTool(tools, form), form, schemas, movesFormat };
}
