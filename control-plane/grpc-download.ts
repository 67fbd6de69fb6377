// Bytes over a stream of gRPC, as fast as the client takes them, and no further than it is there.
import type { Writable } from 'node:stream';
import { CallError } from './rpc/errors.ts';

export interface DownloadStream extends Writable {
  readonly cancelled: boolean;
}

/** @throws CallError once the client has left, and whatever the chunks throw */
export async function sendChunks(stream: DownloadStream, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!stream.cancelled && !stream.write({ chunk })) await drained(stream);
    if (stream.cancelled) throw new CallError('cancelled', 'the client left before the end');
  }
}

function drained(stream: DownloadStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('cancelled', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('cancelled', done);
  });
}
