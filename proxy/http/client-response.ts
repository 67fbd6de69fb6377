// Writes a provider's response in the client's format, if neither the provider nor the client's format already does.
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { readJsonInSteps } from '../../common/sliced-json-reader.ts';
import { writeJsonInSteps } from '../../common/sliced-json-writer.ts';
import { GatewayError } from '../errors.ts';
import { ChunkReader } from '../formats/chat-completions/read-chunks.ts';
import { messageOf } from '../formats/chat-completions/read-message.ts';
import { largeBytes } from '../formats/chat-completions/read-request.ts';
import type { ClientRequest } from '../formats/client-format.ts';
import type { AttemptResult, CompleteResult } from '../upstream/attempt.ts';
import { RewrittenStream } from './rewritten-stream.ts';

/** Does a large piece of work in slices. */
type InSlices = <T>(steps: Generator<void, T>) => Promise<T>;

/**
 * @param client the request as it was dispatched; absent: the client speaks chat completions
 * @returns a promise only for a large whole response, which is parsed and serialized in slices
 */
export function inClientFormat(
  result: AttemptResult,
  client: ClientRequest | undefined,
  inSlices: InSlices,
): AttemptResult | Promise<AttemptResult> {
  if (client === undefined || result.isNative === true) return result;
  if (result.kind === 'stream') {
    const reader = new ChunkReader(client.translation.openWriter(client));
    return new RewrittenStream(result, (bytes) => reader.push(bytes));
  }
  if (result.body.length > largeBytes) return large(result, client, inSlices);
  const response = responseOf(parseExactJson(result.body.toString()), client);
  return { ...result, body: Buffer.from(writeJson(response)) };
}

async function large(result: CompleteResult, client: ClientRequest, inSlices: InSlices): Promise<CompleteResult> {
  const completion = await inSlices(readJsonInSteps(result.body, { exact: true }));
  return { ...result, body: await inSlices(writeJsonInSteps(responseOf(completion, client))) };
}

/** @throws GatewayError upstream_protocol_error */
function responseOf(completion: unknown, client: ClientRequest): JsonObject {
  if (!isObject(completion)) throw new GatewayError('upstream_protocol_error');
  return client.translation.writeResponse(messageOf(completion), client);
}
