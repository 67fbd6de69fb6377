// Frames of the vendor's binary event stream (application/vnd.amazon.eventstream): prelude, headers and payload, with a
// CRC-32 over the prelude and one over the whole. The order of the headers is the vendor's.
import { EventStreamCodec } from '@smithy/eventstream-codec';

/** An event of the stream, with JSON as its payload. */
export function eventFrame(type: string, payload: string): Buffer {
  return modeledFrame(':event-type', type, { messageType: 'event', payload });
}

/** An error that the API model defines for the operation. Its type is in lower camel case. */
export function exceptionFrame(type: string, payload: string): Buffer {
  return modeledFrame(':exception-type', type, { messageType: 'exception', payload });
}

/** An error of a lower layer, which the API model does not define: code and message are headers, without a payload. */
export function errorFrame(code: string, message: string): Buffer {
  return frame(
    [
      [':error-code', code],
      [':error-message', message],
      [':message-type', 'error'],
    ],
    '',
  );
}

function modeledFrame(
  typeHeader: string,
  type: string,
  { messageType, payload }: { readonly messageType: string; readonly payload: string },
): Buffer {
  const headers: readonly Header[] = [
    [typeHeader, type],
    [':content-type', 'application/json'],
    [':message-type', messageType],
  ];
  return frame(headers, payload);
}

type Header = readonly [name: string, value: string];

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

function frame(headers: readonly Header[], payload: string): Buffer {
  const typed = headers.map(([name, value]) => [name, { type: 'string' as const, value }] as const);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(payload, 'utf8') }));
}
