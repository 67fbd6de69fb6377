// Reads a whole response (SDK type `Message` of @anthropic-ai/sdk) into the shared shape.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { ResponseParts } from '../../conversation/response.ts';
import {
  type PassedFacts,
  type ReadResponse,
  type TranslatedCall,
  VendorFailure,
  type VendorResponse,
} from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { messagesError } from './errors.ts';
import { MessageReader } from './message-reader.ts';
import { responsePlan } from './request-plan.ts';
import { UsageCounter, usageExtras } from './usage.ts';

export function readMessagesResponse(call: TranslatedCall, { body }: VendorResponse): ReadResponse {
  const message = parseExactJson(body.toString());
  if (!isObject(message)) throw protocolError('the response is no object');
  if (isObject(message.error)) throw new VendorFailure(messagesError(message.error));
  const { id, model, content } = message;
  if (typeof id !== 'string' || !Array.isArray(content)) throw protocolError('the response is no message');
  const { form } = responsePlan(call);
  const parts = new ResponseParts();
  const reader = new MessageReader(parts, form);
  for (const [index, block] of content.entries()) readBlock(reader, index, block);
  const finish = reader.finish(message);
  const counter = new UsageCounter();
  counter.add(message.usage);
  return {
    message: {
      id,
      created: Math.floor(call.now / 1000),
      model: typeof model === 'string' ? model : call.model,
      choices: [{ finish, ...parts.build() }],
      usage: counter.known,
      usageExtras: usageExtras(counter.known),
    },
    usage: counter.whole,
    model: typeof model === 'string' ? model : undefined,
  };
}

export function readPassedMessage(_call: TranslatedCall, { body }: VendorResponse): PassedFacts | undefined {
  // No number is written again.
  const message = parseJson(body.toString());
  if (!isObject(message) || !Array.isArray(message.content)) return undefined;
  const { id, model, error } = message;
  if (isObject(error) || typeof id !== 'string') return undefined;
  const counter = new UsageCounter();
  counter.add(message.usage);
  const usage = counter.whole;
  return usage && { usage, model: typeof model === 'string' ? model : undefined, responseId: id };
}

function readBlock(reader: MessageReader, index: number, block: unknown): void {
  reader.begin(index, block);
  // A stream sends the input separately from the block.
  if (isObject(block) && block.type === 'tool_use' && isObject(block.input)) {
    reader.delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
  }
  reader.end(index);
}
