// Writes a provider's response in the client's format, if neither the provider nor the client's format already does.
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { readJsonInSteps } from '../../common/sliced-json-reader.ts';
import { writeJsonInSteps } from '../../common/sliced-json-writer.ts';
import type { Finish, ResponseMessage } from '../conversation/response.ts';
import { GatewayError } from '../errors.ts';
import { ChunkReader } from '../formats/chat-completions/read-chunks.ts';
import { messageOf } from '../formats/chat-completions/read-message.ts';
import { largeBytes } from '../formats/chat-completions/read-request.ts';
import type { ClientRequest } from '../formats/client-format.ts';
import { vendorError } from '../formats/vendor-error.ts';
import type { AttemptResult, CompleteResult } from '../upstream/attempt.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import { RewrittenStream } from './rewritten-stream.ts';

export interface ResponseContext {
  /** Milliseconds since the request arrived. */
  elapsedMs(): number;
  /** Does a large piece of work in slices. */
  inSlices<T>(steps: Generator<void, T>): Promise<T>;
  /** Output guardrails apply. */
  readonly isGuarded: boolean;
}

/**
 * @param client the request as it was dispatched; absent: the client speaks chat completions
 * @returns a promise only for a large whole response, which is parsed and serialized in slices
 * @throws GatewayError upstream_protocol_error; ProviderFailure for a response that failed, if the format lacks such
 */
export function inClientFormat(
  result: AttemptResult,
  client: ClientRequest | undefined,
  context: ResponseContext,
): AttemptResult | Promise<AttemptResult> {
  if (client === undefined || result.isNative === true) return result;
  if (result.kind === 'stream') {
    const { isGuarded, elapsedMs } = context;
    const { lacksFailures = false } = client.translation;
    const reader = new ChunkReader(client.translation.openWriter(client, elapsedMs), { isGuarded, lacksFailures });
    return new RewrittenStream(
      result,
      (bytes) => reader.push(bytes),
      () => reader.failed && failedResponse(reader.failed),
    );
  }
  if (result.body.length > largeBytes) return large(result, client, context);
  const message = readMessage(parseExactJson(result.body.toString()));
  return {
    ...result,
    ...headersOf(result, client, message),
    body: Buffer.from(writeJson(written(message, client, context))),
  };
}

async function large(result: CompleteResult, client: ClientRequest, context: ResponseContext): Promise<CompleteResult> {
  const message = readMessage(await context.inSlices(readJsonInSteps(result.body, { exact: true })));
  const body = await context.inSlices(writeJsonInSteps(written(message, client, context)));
  return { ...result, ...headersOf(result, client, message), body };
}

/** @throws GatewayError upstream_protocol_error */
function readMessage(completion: unknown): ResponseMessage {
  if (!isObject(completion)) throw new GatewayError('upstream_protocol_error');
  return messageOf(completion);
}

function written(message: ResponseMessage, client: ClientRequest, { elapsedMs }: ResponseContext): JsonObject {
  const { finish } = message.choices[0] ?? {};
  if (client.translation.lacksFailures === true && finish?.reason === 'error') throw failedResponse(finish);
  return client.translation.writeResponse(message, client, elapsedMs());
}

/** The error of a response that failed. It has been charged: the vendor generated it. SDKs retry this status. */
export function failedResponse({ native = '' }: Finish): ProviderFailure {
  const reason = /^[\w.-]{1,64}$/.test(native) ? ` (${native})` : '';
  const error = vendorError('bad_gateway', { message: `the model did not complete its response${reason}` });
  return new ProviderFailure(error, { retryAfter: undefined, headers: [], reason: error.message });
}

/** The format's own replace those of the provider that mean the same. */
function headersOf(
  { headers }: CompleteResult,
  { translation }: ClientRequest,
  message: ResponseMessage,
): Pick<CompleteResult, 'headers'> {
  const own = translation.responseHeaders?.(message) ?? [];
  if (own.length === 0) return { headers };
  const kept = headers.filter((_text, at) => !own.includes(headers[at - (at % 2)] ?? ''));
  return { headers: [...kept, ...own] };
}
