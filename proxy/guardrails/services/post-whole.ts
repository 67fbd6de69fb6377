// A request to a provider whose answer is read as a whole, up to a bound.
import { ByteStore } from '../../../common/byte-store.ts';
import { AnswerTooLongError } from '../../../common/guarded-request.ts';
import type { OutgoingRequest, Transport } from '../../upstream/transport.ts';

export interface PostWholeOptions {
  readonly transport: Transport;
  /** Ends the exchange; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Of the answer's body. */
  readonly bytesMax: number;
}

export interface WholeAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** @throws TransportError, AnswerTooLongError */
export function postWhole(
  request: OutgoingRequest,
  { transport, signal, bytesMax }: PostWholeOptions,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const body = new ByteStore();
    let status = 0;
    const end = (error: unknown) => {
      connection.cancel();
      reject(error);
    };
    const aborted = () => end(signal.reason);
    const over = () => signal.removeEventListener('abort', aborted);
    signal.addEventListener('abort', aborted, { once: true });
    const connection = transport.send(request, {
      onHead: (told) => {
        status = told;
      },
      onData: (chunk) => {
        body.push(chunk);
        if (body.length <= bytesMax) return;
        over();
        end(new AnswerTooLongError());
      },
      onEnd: () => {
        over();
        resolve({ status, body: body.bytes });
      },
      onError: (error) => {
        over();
        reject(error);
      },
    });
  });
}
