// How an answer was asked for, and so how it is read: a pure function of the request, made again when the answer comes.
import { type ResponseFormat, readResponseFormat } from '../../../conversation/options.ts';
import { type AnswerForm, answerForm } from '../../../conversation/output-mode.ts';
import { readTools, type Tools } from '../../../conversation/tools.ts';
import type { ProviderCall } from '../../../providers/provider.ts';
import { dialectOf } from './dialects.ts';

/** What of an answer is not told as the vendor sent it. */
export interface AnswerPlan {
  readonly form: AnswerForm;
  /** The request used the deprecated `functions`, which the vendor does not know: calls are told in their form. */
  readonly asFunctions: boolean;
}

export interface InferencePlan extends AnswerPlan {
  readonly tools: Tools;
  readonly format: ResponseFormat;
}

const asSent: AnswerPlan = Object.freeze({ form: Object.freeze({ kind: 'text' }), asFunctions: false });

export function answerPlan(call: ProviderCall): AnswerPlan {
  return dialectOf(call.target.baseUrl).schema === 'gpt' ? asSent : inferencePlan(call);
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function inferencePlan({ request, traits }: ProviderCall): InferencePlan {
  const tools = readTools(request.body);
  const format = readResponseFormat(request.body);
  const form = answerForm(format, tools, {
    native: (schema) => (traits.jsonSchema ? schema : undefined),
    json: traits.jsonMode,
    forcedTools: false,
  });
  return { tools, format, form, asFunctions: tools.asFunctions };
}
