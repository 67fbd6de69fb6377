// A classifier model, called through the gateway's own providers in its form (guardrails/models). Each question is a
// call of its own, with a price, a reservation and a usage event. It does not pass guardrails, so no guardrail can
// check its own questions.
import type { ModelCheck } from '../../../guardrails/definition.ts';
import type { ModelForm, ModelMessage } from '../../../guardrails/models/form.ts';
import { modelForm } from '../../../guardrails/models/index.ts';
import { NoResponseError, type TextVerdict } from '../../../guardrails/services/adapter.ts';
import type { Caller } from '../../access/authenticator.ts';
import { ServiceFailedError } from '../service.ts';
import { documentsOf, verdictsOf } from './documents.ts';
import type { Ask } from './limited-check.ts';
import { verdictOf } from './vendor-service.ts';

export interface ModelQuestion {
  /** The caller whose request causes the question. */
  readonly caller: Caller;
  readonly requestId: string;
  readonly guardrailId: string;
  /** `<provider>/<model>` */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly responseTokensMax: number;
}

/**
 * @returns the text of the model's response
 * @throws ServiceFailedError, NotRequestedError; the signal's reason
 */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<string>;

/** Maximum number of parallel questions of one request. */
const parallelMax = 4;

export function createModelAsk(check: ModelCheck, askModel: AskModel): Ask {
  const form = modelForm(check.form);
  return async (question, signal) => {
    if (form === undefined) throw new ServiceFailedError('unknown');
    const { stage, caller, requestId, guardrail } = question;
    const documents = documentsOf(question.texts, question.window);
    const context = question.context();
    const verdicts = documents.map((): TextVerdict[] => []);
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const next = documents.entries();
    const askOn = async () => {
      for (const [index, { text }] of next) {
        const requested = {
          caller,
          requestId,
          guardrailId: guardrail.id,
          model: check.model,
          messages: form.ask(text, { stage, context }, check),
          responseTokensMax: form.responseTokensMax,
        };
        verdicts[index]?.push({ found: read(form, await askModel(requested, either), check) });
      }
    };
    try {
      await Promise.all(Array.from({ length: parallelMax }, askOn));
    } finally {
      ending.abort();
    }
    return verdictOf(verdictsOf(documents, verdicts), []);
  };
}

function read(form: ModelForm, text: string, check: ModelCheck) {
  try {
    return form.read(text, check);
  } catch (error) {
    if (error instanceof NoResponseError) throw new ServiceFailedError('answer', error);
    throw error;
  }
}
