// Errors that are not the request's fault, which only a script or a directive brings about: the service's usual words for
// a status, with what was scripted in their place.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { blockedPrompt } from './filters.ts';
import { noDeploymentMessage } from './refusal.ts';

export interface ErrorWords {
  /** Code and message of 429. */
  readonly rateLimited: readonly [string, string];
  /** The body of a prompt that the content filter refused. */
  readonly filtered: Json;
}

/** What it tells with 429, in seconds, in the text and in headers. */
export const retryAfterSeconds = 12;

/** How the services of GPT models say it. @param api as the text about limits names it */
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

/** The inference API keeps some errors flat. */
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

/** Scripted code `content_filter` with 400 is the refusal of a prompt, whole. */
export function scriptedError(status: number, scripted: Behaviour['error'], words: ErrorWords): Json {
  if (status === 400 && scripted?.code === 'content_filter') {
    const { filtered } = words;
    return isObject(filtered.error)
      ? { error: { ...filtered.error, ...scripted } }
      : { ...filtered, ...scripted };
  }
  const [code, message] =
    status === 429 ? words.rateLimited : (usual[status] ?? usual[status < 500 ? 400 : 500] ?? []);
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
  503: [
    'ServiceUnavailable',
    'The service is temporarily unable to process your request. Please try again later.',
  ],
};
