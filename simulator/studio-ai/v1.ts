// The undated API: the body's `model` is the name of a deployment, of any make.
import { anyObject, isObject, type Json, object, picked, string } from '../checks.ts';
import { behaviourFor, bodyOf, respondToChat } from '../gpt-provider/chat.ts';
import { conversation } from '../gpt-provider/messages.ts';
import { chatParameters } from '../gpt-provider/parameters.ts';
import { badField, Refusal } from '../gpt-provider/refusal.ts';
import { type ChatRequest, chatRequest } from '../gpt-provider/request.ts';
import { checkRules } from '../gpt-provider/rules.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { authorizeAnyBearer } from './credentials.ts';
import { type Deployment, findDeployment, listBaseModels } from './deployments.ts';
import { asVendor, type Dialect, decoded, queryOf } from './dialect.ts';
import { gptWords } from './errors.ts';
import { formOf, jsonResponse } from './form.ts';
import { checkMake } from './makes.ts';
import { noChatModel, noDeploymentMessage, noSuchPath, refused } from './refusal.ts';

export const v1: Dialect = {
  prefix: '/openai/v1',
  refusal: asVendor,
  respond(path, received, context) {
    const isChat = path === '/chat/completions';
    const model = /^\/models\/([^/]+)$/.exec(path)?.[1];
    if (!isChat && path !== '/models' && model === undefined) throw noSuchPath();
    if (received.method !== (isChat ? 'POST' : 'GET')) throw noSuchPath();
    authorizeAnyBearer(received.headers, context.keys);
    checkVersion(queryOf(received, 'api-version'));
    if (isChat) return chat(received, context);
    return jsonResponse(
      200,
      model === undefined
        ? { object: 'list', data: listBaseModels().map(modelObject) }
        : modelObject(modelNamed(model)),
      context,
    );
  },
};

function checkVersion(version: string | undefined): void {
  if (version === undefined || version === 'preview' || version === 'v1') return;
  throw refused(400, 'BadRequest', 'api-version query parameter is not allowed when using /v1 path');
}

function chat(received: Received, context: ResponseContext): SimulatedResponse {
  const body = bodyOf(received);
  const { request, deployment } = parse(isObject(body) ? body : {});
  const behaviour = behaviourFor(request, context);
  const words = gptWords('OpenAI Language Model Instance API');
  const form = formOf({ request, behaviour, context, deployment, words, filtered: true });
  return respondToChat({ request, behaviour, received, context }, form);
}

function parse(body: Json): { request: ChatRequest; deployment: Deployment } {
  if (body.model === undefined) {
    throw badField('model', "Missing required parameter: 'model'.", 'missing_required_parameter');
  }
  checkBody(body, '');
  const deployment = findDeployment(body.model as string);
  if (deployment === undefined) {
    throw new Refusal(404, { message: noDeploymentMessage, code: 'DeploymentNotFound' });
  }
  if (!deployment.chat) throw noChatModel(deployment.snapshot);
  const request = chatRequest(body, deployment);
  checkRules(request);
  if (deployment.make !== undefined) checkMake(request, deployment.make);
  return { request, deployment };
}

const messages = conversation({
  roles: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
  userParts: ['text', 'image_url', 'input_audio', 'file'],
  customCalls: true,
  cacheBreakpoints: false,
});

// The service's own list of parameters as of July 2026, plus the service tier, which it documents elsewhere.
const checkBody = object(
  { model: string(), messages },
  {
    ...picked(chatParameters, [
      'audio',
      'frequency_penalty',
      'function_call',
      'functions',
      'logit_bias',
      'logprobs',
      'max_completion_tokens',
      'max_tokens',
      'metadata',
      'modalities',
      'n',
      'parallel_tool_calls',
      'prediction',
      'presence_penalty',
      'prompt_cache_key',
      'prompt_cache_retention',
      'reasoning_effort',
      'response_format',
      'safety_identifier',
      'seed',
      'service_tier',
      'stop',
      'store',
      'stream',
      'stream_options',
      'temperature',
      'tool_choice',
      'tools',
      'top_logprobs',
      'top_p',
      'user',
      'verbosity',
    ]),
    user_security_context: anyObject,
  },
);

function modelNamed(segment: string): Deployment {
  const name = decoded(segment);
  const model = listBaseModels().find(({ snapshot }) => snapshot === name);
  if (model === undefined) throw noSuchPath();
  return model;
}

function modelObject({ snapshot, created, publisher }: Deployment): Json {
  return { id: snapshot, object: 'model', created, owned_by: publisher };
}
