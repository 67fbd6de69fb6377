// What a request asks of the form of its answer, and so of the tools. A pure function of request and model: the answer is read
// by the same plan as the request was made.
import { type ResponseFormat, readResponseFormat } from '../../conversation/options.ts';
import { type AnswerForm, answerForm, withAnswerTool } from '../../conversation/output-mode.ts';
import { readTools, type Tools } from '../../conversation/tools.ts';
import { StrictSchemas } from '../../models/claude/schema.ts';
import type { ProviderCall } from '../../providers/provider.ts';
import { familyOf } from './families.ts';

export interface AnswerPlan {
  readonly format: ResponseFormat;
  readonly form: AnswerForm;
  /** With the one that gives the answer, if there is such a one. */
  readonly tools: Tools;
  /** What is left of the room for strict schemas. */
  readonly strictSchemas: StrictSchemas;
  /** Something of the answer's schema stands in a description. */
  readonly movesFormat: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function answerPlan({ request: { body }, traits }: ProviderCall): AnswerPlan {
  const tools = readTools(body);
  const format = readResponseFormat(body);
  const strictSchemas = new StrictSchemas();
  const form = answerForm(format, tools, {
    native: (schema) => {
      if (!traits.jsonSchema) return undefined;
      return familyOf(traits).hasClaudeFields ? strictSchemas.take(schema) : schema;
    },
    forcedTools: traits.forcedTools,
  });
  const movesFormat = strictSchemas.takeMoves();
  return { format, form, tools: withAnswerTool(tools, form), strictSchemas, movesFormat };
}
