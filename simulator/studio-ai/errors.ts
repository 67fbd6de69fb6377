// Errors that the request does not cause, only a script or a directive: the service's usual error of a status, with the
// scripted parts.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { blockedPrompt } from './filters.ts';
import { noDeploymentMessage } from './refusal.ts';

export interface ErrorWords {
  /** Code and message of a 429. */
  readonly rateLimited: readonly [string, string];
  /** The body if the content filter refuses the prompt. */
  readonly filtered: Json;
}

/** The seconds that a 429 names in its text and headers. */
export const retryAfterSeconds = 12;

/** The texts of the services for GPT models. @param api its name in the text about limits */
export function gptWords(api: string): ErrorWords {
  const message = `Requests to the ChatCompletions_Create Operation under ${api} have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after ${retryAfterSeconds} seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.`;
  return {
    rateLimited: ['429', message],
    filtered: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: blockedPrompt },
      },
    },
  };
}

/** The inference API has some errors without the envelope. */
export const inferenceWords: ErrorWords = {
  rateLimited: [
    'RateLimitReached',
    `Rate limit of 1 per 60s exceeded for UserByModelByMinute. Please retry after ${retryAfterSeconds} seconds.`,
  ],
  filtered: {
    status: 400,
    code: 'content_filter',
    message: 'The response was filtered',
    param: 'messages',
    type: null,
  },
};

/** The scripted code `content_filter` with 400 returns the complete refusal of a prompt. */
export function scriptedError(status: number, scripted: Behaviour['error'], words: ErrorWords): Json {
  if (status === 400 && scripted?.code === 'content_filter') {
    const { filtered } = words;
    return isObject(filtered.error) ? { error: { ...filtered.error, ...scripted } } : { ...filtered, ...scripted };
  }
  const [code, message] = status === 429 ? words.rateLimited : (usual[status] ?? usual[status < 500 ? 400 : 500] ?? []);
  return { error: { code, message, ...scripted } };
}

const usual: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['BadRequest', 'The request was refused.'],
  401: [
    '401',
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
  ],
  403: ['PermissionDenied', 'Principal does not have access to API/Operation.'],
  404: ['DeploymentNotFound', noDeploymentMessage],
  408: ['Timeout', 'The operation was timeout.'],
  424: ['FailedDependency', 'The model behind the deployment failed.'],
  500: ['InternalServerError', 'Backend returned unexpected response. Please contact Microsoft for help.'],
  503: ['ServiceUnavailable', 'The service is temporarily unable to process your request. Please try again later.'],
};
