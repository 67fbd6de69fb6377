// A stream of the managed cloud service as text, one frame per line: `{"<event type>":payload}`,
// `{"exception":{"<type>":payload}}` or `{"error":{"code":…,"message":…}}`. The transcripts have the first form.
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { errorFrame, eventFrame, exceptionFrame } from '../../simulator/managed-cloud-models/frames.ts';

export function framesOf(lines: string): Buffer {
  return Buffer.concat(lines.trim().split('\n').map(frameOf));
}

function frameOf(line: string): Buffer {
  const written: Record<string, Record<string, unknown>> = JSON.parse(line);
  const [[kind = '', payload = {}] = []] = Object.entries(written);
  if (kind === 'error') return errorFrame(String(payload.code), String(payload.message));
  if (kind !== 'exception') return eventFrame(kind, JSON.stringify(payload));
  const [[type = '', body] = []] = Object.entries(payload);
  return exceptionFrame(type, JSON.stringify(body));
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
  (text) => Buffer.from(text),
);

/**
 * The same text from frames, read by the vendor's own codec. The bytes of a `chunk` are shown as the JSON that they are.
 */
export function linesOf(frames: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < frames.length; ) {
    const end = at + frames.readUInt32BE(at);
    const { headers, body } = codec.decode(new Uint8Array(frames.subarray(at, end)));
    const header = (name: string) => String(headers[name]?.value);
    const payload: unknown = JSON.parse(Buffer.from(body).toString());
    const isEvent = header(':message-type') === 'event';
    const type = header(isEvent ? ':event-type' : ':exception-type');
    const shown = { [type]: type === 'chunk' ? jsonInBytes(payload) : payload };
    lines.push(`${JSON.stringify(isEvent ? shown : { exception: shown })}\n`);
    at = end;
  }
  return lines.join('');
}

function jsonInBytes(payload: unknown): unknown {
  const { bytes } = payload as { readonly bytes: string };
  return JSON.parse(Buffer.from(bytes, 'base64').toString());
}
