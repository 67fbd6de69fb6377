// The inference API: one endpoint for the deployments of all makes, and the older hosts that each serve one model.
import { FieldFault, isObject, type Json } from '../checks.ts';
import { behaviourFor, bodyOf, respondToChat } from '../gpt-provider/chat.ts';
import type { ChatRequest } from '../gpt-provider/request.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { authorize, authorizeHost } from './credentials.ts';
import { type Deployment, findDeployment, hostedDeployment } from './deployments.ts';
import { type Dialect, queryOf } from './dialect.ts';
import { inferenceWords } from './errors.ts';
import { formOf, jsonResponse } from './form.ts';
import { extraInputs, parseInferenceBody } from './inference-body.ts';
import { detailOf, invalidInput } from './invalid-input.ts';
import { badRequest, noChatModel, noSuchPath, onlySince, refused, StudioRefusal } from './refusal.ts';
import { reasoningSince } from './versions.ts';

const versions: readonly string[] = ['2024-05-01-preview', '2025-04-01', '2025-05-01'];

export const inference: Dialect = {
  prefix: '/models',
  refusal,
  respond(path, received, context) {
    const method = methods[path];
    if (method !== received.method) throw noSuchPath();
    authorize(received.headers, context.keys);
    const version = queryOf(received, 'api-version');
    if (version === undefined) {
      throw refused(400, 'BadRequest', 'Missing required query parameter: api-version');
    }
    if (!versions.includes(version)) throw refused(400, 'BadRequest', 'API version not supported');
    if (method === 'GET') return info(findDeployment('gpt-4o') ?? hostedDeployment(), context);
    const body = objectOf(received);
    const deployment = deploymentIn(body, received, version);
    const extra = extraHeader(received);
    const request = parseInferenceBody({ extra, body, deployment, refuseExtra: extraInputs });
    return respond({ request, deployment }, received, context);
  },
};

/** The version in the query is optional and ignored: the host has only one. */
export const serverless: Dialect = {
  prefix: '',
  refusal,
  respond(path, received, context) {
    const method = methods[path];
    if (method === undefined) throw new StudioRefusal(404, { detail: 'Not Found' });
    if (method !== received.method) throw new StudioRefusal(405, { detail: 'Method Not Allowed' });
    authorizeHost(received.headers, context.keys);
    const deployment = hostedDeployment();
    if (method === 'GET') return info(deployment, context);
    const [extra, body] = [extraHeader(received), objectOf(received)];
    const request = parseInferenceBody({ extra, body, deployment, refuseExtra: extraParameters });
    return respond({ request, deployment }, received, context);
  },
};

const methods: Readonly<Record<string, string>> = { '/chat/completions': 'POST', '/info': 'GET' };

function refusal(error: Parameters<Dialect['refusal']>[0]): StudioRefusal {
  return error instanceof FieldFault ? invalidInput([detailOf(error)]) : badRequest(error.error.message);
}

function extraParameters(extras: Json): StudioRefusal {
  const names = Object.keys(extras).map((name) => `'${name}'`);
  const detail = `Extra parameters [${names.join(', ')}] are not allowed when extra-parameters is not set or set to be 'error'. Set extra-parameters to 'pass-through' to pass to the model.`;
  return new StudioRefusal(400, { detail });
}

function objectOf(received: Received): Json {
  const body = bodyOf(received);
  if (isObject(body)) return body;
  throw new FieldFault('', { kind: 'type', expected: 'an object' }, body);
}

function extraHeader({ headers }: Received): string {
  return String(headers['extra-parameters'] ?? 'error');
}

function deploymentIn(body: Json, { headers }: Received, version: string): Deployment {
  const name = body.model ?? headers['x-ms-model-mesh-model-name'];
  if (typeof name !== 'string' || name === '') {
    const message =
      'No model specified in request. Please provide a model name in the request body or as a x-ms-model-mesh-model-name header.';
    throw new StudioRefusal(400, { error: { code: 'no_model_name', message, details: message } });
  }
  const deployment = findDeployment(name);
  if (deployment === undefined) {
    const message = `Unknown model: ${name}`;
    throw new StudioRefusal(404, { error: { code: 'unknown_model', message, details: message } });
  }
  if (!deployment.chat) throw noChatModel(deployment.snapshot);
  // As users report it, with the unfilled placeholder in the text.
  if (deployment.efforts.length > 0 && version < reasoningSince) {
    throw onlySince('Model {modelName}', reasoningSince);
  }
  return deployment;
}

interface ChatExchange {
  readonly request: ChatRequest;
  readonly deployment: Deployment;
}

function respond(
  { request, deployment }: ChatExchange,
  received: Received,
  context: ResponseContext,
): SimulatedResponse {
  const behaviour = behaviourFor(request, context);
  const filtered = deployment.make === undefined;
  const form = formOf({ request, behaviour, context, deployment, words: inferenceWords, filtered });
  return respondToChat({ request, behaviour, received, context }, form);
}

function info({ snapshot, publisher }: Deployment, context: ResponseContext): SimulatedResponse {
  const value = { model_name: snapshot, model_type: 'chat-completion', model_provider_name: publisher };
  return jsonResponse(200, value, context);
}
