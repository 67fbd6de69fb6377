// The dated versions of the API and the parameters of each: a version refuses parameters that were added later. From
// the service's list of changes between versions and the definition of 2024-10-21.
import { anyObject, anything, boolean, type Check, isObject, nullable, object, picked } from '../checks.ts';
import { type ConversationForm, conversation } from '../gpt-provider/messages.ts';
import { chatParameters } from '../gpt-provider/parameters.ts';
import type { ChatRequest } from '../gpt-provider/request.ts';
import { functionToolChoice, functionTools } from '../gpt-provider/tools.ts';
import { onlySince } from './refusal.ts';

const versions = [
  '2024-02-01',
  '2024-06-01',
  '2024-08-01-preview',
  '2024-09-01-preview',
  '2024-10-01-preview',
  '2024-10-21',
  '2024-12-01-preview',
  '2025-01-01-preview',
  '2025-02-01-preview',
  '2025-03-01-preview',
  '2025-04-01-preview',
] as const;

type Version = (typeof versions)[number];

/** The check of a body in this version; undefined for an unknown version. `model` in the body is ignored. */
export function bodyCheckOf(version: string): Check | undefined {
  return bodyChecks.get(version);
}

/** Refuses values and models that were added after this version. @throws StudioRefusal */
export function checkSince(version: string, { body, model }: ChatRequest): void {
  const needs = (since: Version, what: string) => {
    if (version < since) throw onlySince(what, since);
  };
  if (model.efforts.length > 0) needs(reasoningSince, `Model ${model.name}`);
  if (isObject(body.response_format) && body.response_format.type === 'json_schema') {
    needs('2024-08-01-preview', 'response_format value as json_schema');
  }
  if (body.tool_choice === 'required') needs('2024-06-01', 'tool_choice value as required');
}

/** The first version with reasoning models, their parameters and the developer role. */
export const reasoningSince = '2024-12-01-preview' satisfies Version;
const audioSince = '2025-01-01-preview' satisfies Version;

// `data_sources` is in no version: it was retired in October 2026.
const added: readonly (readonly [Version, readonly (keyof typeof chatParameters)[]])[] = [
  [
    '2024-02-01',
    [
      'frequency_penalty',
      'function_call',
      'functions',
      'logit_bias',
      'logprobs',
      'max_tokens',
      'n',
      'presence_penalty',
      'response_format',
      'seed',
      'stop',
      'stream',
      'temperature',
      'top_logprobs',
      'top_p',
      'user',
    ],
  ],
  ['2024-09-01-preview', ['max_completion_tokens', 'parallel_tool_calls']],
  [reasoningSince, ['metadata', 'reasoning_effort', 'store']],
  [audioSince, ['audio', 'modalities', 'prediction']],
];

function parametersOf(version: Version): Readonly<Record<string, Check>> {
  const names = added.filter(([since]) => since <= version).flatMap(([, list]) => list);
  return {
    ...picked(chatParameters, names),
    model: anything,
    tools: functionTools,
    tool_choice: functionToolChoice,
    ...(version >= '2024-09-01-preview' && {
      stream_options: nullable(object({}, { include_usage: boolean })),
    }),
    ...(version >= reasoningSince && { user_security_context: anyObject }),
  };
}

function conversationOf(version: Version): ConversationForm {
  const roles = ['system', 'user', 'assistant', 'tool', 'function'] as const;
  const parts = ['text', 'image_url'] as const;
  return {
    roles: version >= reasoningSince ? [...roles, 'developer'] : roles,
    userParts: version >= audioSince ? [...parts, 'input_audio'] : parts,
    customCalls: false,
    cacheBreakpoints: false,
  };
}

const bodyChecks: ReadonlyMap<string, Check> = new Map(
  versions.map((version) => [
    version,
    object({ messages: conversation(conversationOf(version)) }, parametersOf(version)),
  ]),
);
