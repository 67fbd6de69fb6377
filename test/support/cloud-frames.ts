// A stream of the managed cloud service as text, one frame per line: `{"<event type>":payload}`,
// `{"exception":{"<type>":payload}}` or `{"error":{"code":…,"message":…}}`. The transcripts have the first form.
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
