// The managed cloud service's wire format: Converse and InvokeModel, whole and streamed, and CountTokens, with the
// vendor's refusals.
import type { Behaviour } from '../behaviour.ts';
import { FieldFault, type Json } from '../checks.ts';
import { echoOf } from '../echo.ts';
import type { Received, ResponseContext, SimulatedResponse, WireFormat } from '../wire-format.ts';
import { authorize } from './authorization.ts';
import { complete } from './completion.ts';
import { refusalOf } from './faults.ts';
import { errorFrame, exceptionFrame } from './frames.ts';
import { type InvokeRequest, invoke, invokeDirective, parseInvoke } from './invoke.ts';
import { parseCount, parseRequest } from './parse.ts';
import {
  errorBody,
  errorTypeHeader,
  invalid,
  type Layer,
  Refusal,
  unreadable,
  usualError,
  type VendorError,
} from './refusal.ts';
import { type ConverseRequest, textOf } from './request.ts';
import { responseFrames, responseObject } from './response.ts';
import { scriptedBy } from './scripted.ts';

const basePath = '/managed-cloud-models';

export const managedCloudModels: WireFormat = {
  basePath,
  respond(received, context) {
    try {
      return route(received, context);
    } catch (error) {
      const refusal = error instanceof FieldFault ? refusalOf(error) : error;
      if (!(refusal instanceof Refusal)) throw error;
      return errorResponse(refusal, context);
    }
  },
};

function route(received: Received, context: ResponseContext): SimulatedResponse {
  const path = received.path.slice(basePath.length);
  const [, id = '', operation] = operations.exec(path) ?? [];
  if (operation === undefined || received.method !== 'POST') {
    throw new Refusal(404, { type: 'UnknownOperationException', message: 'Unknown operation' }, 'framework');
  }
  authorize(received, context);
  if (operation === 'count-tokens') {
    const inputTokens = parseCount(parseBody(received), decodedId(id));
    const behaviour = context.scripted() ?? {};
    return scriptedFailure(behaviour, context) ?? { ...jsonResponse(200, { inputTokens }, context), behaviour };
  }
  const target = { modelId: decodedId(id), stream: operation.endsWith('stream') };
  const body = parseBody(received);
  return operation.startsWith('invoke')
    ? invoked(parseInvoke(body, target), received, context)
    : converse(parseRequest(body, target), received, context);
}

const operations = /^\/model\/([^/]+)\/(converse|converse-stream|count-tokens|invoke|invoke-with-response-stream)$/;

function invoked(request: InvokeRequest, received: Received, context: ResponseContext): SimulatedResponse {
  const behaviour = context.scripted() ?? invokeDirective(request) ?? {};
  const refused = scriptedFailure(behaviour, context);
  if (refused !== undefined) return refused;
  const { status = 200 } = behaviour;
  const { headers, body, frames } = invoke(request, {
    behaviour,
    echo: () => echoOf(received),
    sequence: context.sequence,
  });
  if (request.stream) return frameResponse(status, frames(), { behaviour, context });
  const response = jsonResponse(status, body, context);
  return { ...response, headers: { ...response.headers, ...headers }, behaviour };
}

function converse(request: ConverseRequest, received: Received, context: ResponseContext): SimulatedResponse {
  const behaviour = context.scripted() ?? directive(request) ?? {};
  const refused = scriptedFailure(behaviour, context);
  if (refused !== undefined) return refused;
  const { status = 200 } = behaviour;
  const completion = complete(request, behaviour, () => echoOf(received));
  if (!request.stream) {
    return { ...jsonResponse(status, responseObject(request, completion), context), behaviour };
  }
  return frameResponse(status, responseFrames(request, completion), { behaviour, context });
}

function frameResponse(
  status: number,
  frames: Iterable<Buffer>,
  { behaviour, context }: { readonly behaviour: Behaviour; readonly context: ResponseContext },
): SimulatedResponse {
  return {
    status,
    headers: { ...requestId(context), 'content-type': 'application/vnd.amazon.eventstream' },
    parts: behaviour.errorAfterEvents === undefined ? frames : failingFrames(frames, behaviour),
    behaviour,
  };
}

function scriptedFailure(behaviour: Behaviour, context: ResponseContext): SimulatedResponse | undefined {
  const { status = 200 } = behaviour;
  if (status < 400) return undefined;
  return { ...errorResponse({ status, error: scriptedError(behaviour) }, context), behaviour };
}

/**
 * Yields this many frames, then an exception, or with `code` instead of `type` an error that the API does not define.
 */
function* failingFrames(frames: Iterable<Buffer>, behaviour: Behaviour): Generator<Buffer> {
  let count = 0;
  for (const frame of frames) {
    if (count >= (behaviour.errorAfterEvents ?? 0)) break;
    count += 1;
    yield frame;
  }
  const error = scriptedError(behaviour);
  const { code } = behaviour.error ?? {};
  yield typeof code === 'string'
    ? errorFrame(code, error.message)
    : exceptionFrame(error.type.charAt(0).toLowerCase() + error.type.slice(1), JSON.stringify(errorBody(error)));
}

/** The usual error of the status or type, with the parts that the behaviour replaces. */
function scriptedError({ status = 500, error = {} }: Behaviour): VendorError {
  const { type, message, code, ...rest } = error;
  const usual = usualError(status, type ?? undefined);
  const extra = Object.entries(rest).map(([key, value]) => [key, key === 'originalStatusCode' ? Number(value) : value]);
  return { ...usual, ...(typeof message === 'string' && { message }), extra: Object.fromEntries(extra) };
}

function parseBody({ headers, body }: Received): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    const message = 'The content type of the request is not supported; send application/json';
    throw new Refusal(415, { type: 'UnsupportedMediaTypeException', message }, 'framework');
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadable('The request body is not valid JSON');
  }
}

function directive({ messages }: ConverseRequest): Behaviour | undefined {
  const last = messages.at(-1);
  return last?.role === 'user' ? scriptedBy(textOf(last)) : undefined;
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw invalid('The provided model identifier is invalid.');
  }
}

function errorResponse(
  { status, error, layer }: { readonly status: number; readonly error: VendorError; readonly layer?: Layer },
  context: ResponseContext,
): SimulatedResponse {
  const response = jsonResponse(status, errorBody(error, layer), context);
  return { ...response, headers: { ...response.headers, 'x-amzn-ErrorType': errorTypeHeader(error, layer) } };
}

function jsonResponse(status: number, value: Json, context: ResponseContext): SimulatedResponse {
  const headers = { ...requestId(context), 'content-type': 'application/json' };
  return { status, headers, parts: [JSON.stringify(value)], behaviour: {} };
}

function requestId({ sequence }: ResponseContext): Readonly<Record<string, string>> {
  return { 'x-amzn-RequestId': `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}` };
}
