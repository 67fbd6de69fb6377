// Sends a request to a provider and reads the whole response, up to a limit.
import { ByteStore } from '../../../common/byte-store.ts';
import { ResponseTooLongError } from '../../../common/guarded-request.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import type { OutgoingRequest, Transport, UpstreamReceiver } from '../../upstream/transport.ts';

export interface PostWholeOptions {
  readonly transport: Transport;
  /** The organization and key for which it is sent. */
  readonly owner: ShareOwner;
  /** Aborts the exchange; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Limit of the response body. */
  readonly bytesMax: number;
}

export interface WholeResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** @throws TransportError, ResponseTooLongError */
export function postWhole(
  request: OutgoingRequest,
  { transport, owner, signal, bytesMax }: PostWholeOptions,
): Promise<WholeResponse> {
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
    const receiver: UpstreamReceiver = {
      onHead: (reported) => {
        status = reported;
      },
      onData: (chunk) => {
        body.push(chunk);
        if (body.length <= bytesMax) return;
        over();
        end(new ResponseTooLongError());
      },
      onEnd: () => {
        over();
        resolve({ status, body: body.bytes });
      },
      onError: (error) => {
        over();
        reject(error);
      },
    };
    const connection = transport.send(request, receiver, owner);
  });
}
