// The dated API with deployments in the path. The body's `model` is ignored; the version decides which parameters
// exist.
import { isObject, type Json } from '../checks.ts';
import { behaviourFor, bodyOf, respondToChat } from '../gpt-provider/chat.ts';
import { type ChatRequest, chatRequest } from '../gpt-provider/request.ts';
import { checkRules } from '../gpt-provider/rules.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { authorize } from './credentials.ts';
import { type Deployment, findDeployment, listBaseModels } from './deployments.ts';
import { asVendor, type Dialect, decoded, queryOf } from './dialect.ts';
import { gptWords } from './errors.ts';
import { formOf, jsonResponse } from './form.ts';
import { noChatModel, noDeploymentMessage, noSuchPath, refused } from './refusal.ts';
import { bodyCheckOf, checkSince } from './versions.ts';

export const dated: Dialect = {
  prefix: '/openai',
  refusal: asVendor,
  respond(path, received, context) {
    const deployment = /^\/deployments\/([^/]+)\/chat\/completions$/.exec(path)?.[1];
    const method = deployment === undefined ? 'GET' : 'POST';
    if ((deployment === undefined && path !== '/models') || received.method !== method) throw noSuchPath();
    authorize(received.headers, context.keys);
    const version = queryOf(received, 'api-version');
    if (version === undefined || bodyCheckOf(version) === undefined) throw noSuchPath();
    return deployment === undefined
      ? baseModels(context)
      : chat({ deployment: deploymentNamed(deployment), version }, received, context);
  },
};

function deploymentNamed(segment: string): Deployment {
  const deployment = findDeployment(decoded(segment) ?? '');
  // The other dialects serve models of other makes.
  if (deployment === undefined || deployment.make !== undefined) {
    throw refused(404, 'DeploymentNotFound', noDeploymentMessage);
  }
  if (!deployment.chat) throw noChatModel(deployment.snapshot);
  return deployment;
}

interface Called {
  readonly deployment: Deployment;
  readonly version: string;
}

function chat({ deployment, version }: Called, received: Received, context: ResponseContext): SimulatedResponse {
  const request = parse({ deployment, version }, bodyOf(received));
  const behaviour = behaviourFor(request, context);
  const words = gptWords(`Azure OpenAI API version ${version}`);
  const form = formOf({ request, behaviour, context, deployment, words, filtered: true });
  return respondToChat({ request, behaviour, received, context }, form);
}

function parse({ deployment, version }: Called, value: unknown): ChatRequest {
  const body = isObject(value) ? value : {};
  bodyCheckOf(version)?.(body, '');
  const request = chatRequest(body, deployment);
  checkSince(version, request);
  checkRules(request);
  return request;
}

/** The base models of the region, not the deployments. */
function baseModels(context: ResponseContext): SimulatedResponse {
  const data = listBaseModels()
    .filter(({ make }) => make === undefined)
    .map(baseModel);
  return jsonResponse(200, { object: 'list', data }, context);
}

function baseModel({ snapshot, chat: chats, created }: Deployment): Json {
  return {
    id: snapshot,
    object: 'model',
    status: 'succeeded',
    capabilities: {
      fine_tune: false,
      inference: true,
      completion: false,
      chat_completion: chats,
      embeddings: !chats,
    },
    lifecycle_status: 'generally-available',
    created_at: created,
  };
}
