// Writes a provider's response in the client's format, if neither the provider nor the client's format already does.
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject } from '../../common/json.ts';
import { GatewayError } from '../errors.ts';
import { ChunkReader } from '../formats/chat-completions/read-chunks.ts';
import { messageOf } from '../formats/chat-completions/read-message.ts';
import type { ClientRequest } from '../formats/client-format.ts';
import type { AttemptResult, CompleteResult, StreamResult, StreamSink } from '../upstream/attempt.ts';

/** @param client absent: the client speaks chat completions */
export function inClientFormat(result: AttemptResult, client: ClientRequest | undefined): AttemptResult {
  if (client === undefined || result.isNative === true) return result;
  return result.kind === 'complete' ? written(result, client) : new ClientStream(result, client);
}

function written(result: CompleteResult, client: ClientRequest): CompleteResult {
  const completion = parseExactJson(result.body.toString());
  if (!isObject(completion)) throw new GatewayError('upstream_protocol_error');
  const body = client.translation.writeResponse(messageOf(completion), client);
  return { ...result, body: Buffer.from(writeJson(body)) };
}

/** A stream whose events are written in the client's format as they arrive. */
class ClientStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;
  readonly #reader: ChunkReader;

  constructor(source: StreamResult, client: ClientRequest) {
    this.headers = source.headers;
    this.#source = source;
    this.#reader = new ChunkReader(client.translation.openWriter(client));
  }

  flowTo(sink: StreamSink): void {
    this.#source.flowTo({
      write: (bytes) => {
        const written = this.#reader.push(bytes);
        if (written.length > 0) sink.write(written);
      },
      end: () => sink.end(),
      fail: (error) => sink.fail(error),
    });
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  abort(error: Error): void {
    this.#source.abort(error);
  }
}
