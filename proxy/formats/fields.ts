// What becomes of each field of a request at a vendor that does not speak the callers' format: a provider names what it maps,
// and every other field is dropped and named to the caller, or refused where the caller would misread the answer.
import { plainNumber } from '../../common/exact-number.ts';
import { unsupported } from '../conversation/invalid.ts';
import { isGiven } from '../conversation/options.ts';
import type { ConversationRequest } from '../conversation/request.ts';

/** Fields whose absence changes the answer's shape: never dropped silently. With the values that ask for nothing. */
const shaping: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => plainNumber(value) === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => plainNumber(value) === 0,
  modalities: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  audio: () => false,
};

/** Handled by the gateway itself, whatever the provider. */
const ownFields = new Set(['model', 'messages', 'stream', 'stream_options']);

/**
 * @param mapped the fields that the provider's translator reads
 * @returns the fields that are dropped, in the body's order, those of messages behind them, for `x-svc-dropped-params`
 * @throws GatewayError unsupported_parameter
 */
export function droppedFields(
  request: Pick<ConversationRequest, 'options' | 'namesSpeakers'>,
  mapped: ReadonlySet<string>,
): string[] {
  const body = request.options;
  const dropped: string[] = [];
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (!isGiven(value) || ownFields.has(name) || mapped.has(name)) continue;
    if (!Object.hasOwn(shaping, name)) dropped.push(name);
    else if (!asksForNothing(name, value)) {
      throw unsupported(name, `${name} is not supported by this provider`);
    }
  }
  return request.namesSpeakers() ? [...dropped, 'messages.name'] : dropped;
}

/** Whether the answer would be the same without the field. */
export function asksForNothing(name: string, value: unknown): boolean {
  return Object.hasOwn(shaping, name) && shaping[name]?.(value) === true;
}
