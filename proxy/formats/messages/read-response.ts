// A complete answer (SDK type `Message` of @anthropic-ai/sdk) in the common shape.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject } from '../../../common/json.ts';
import { AnswerParts } from '../../conversation/response-parts.ts';
import {
  type CompleteAnswer,
  type ProviderCall,
  type VendorAnswer,
  VendorFailure,
} from '../../providers/provider.ts';
import { completionBody } from '../chat-completions/write-response.ts';
import { protocolError } from '../protocol-error.ts';
import { toldError } from './errors.ts';
import { MessageReader } from './message-reader.ts';
import { readPlan } from './request-plan.ts';
import { UsageCounter, usageExtras } from './usage.ts';

export function readAssistantAnswer(call: ProviderCall, { body }: VendorAnswer): CompleteAnswer {
  const message = parseExactJson(body.toString());
  if (!isObject(message)) throw protocolError('the answer is no object');
  if (isObject(message.error)) throw new VendorFailure(toldError(message.error));
  const { id, model, content } = message;
  if (typeof id !== 'string' || !Array.isArray(content)) throw protocolError('the answer is no message');
  const { tools, form } = readPlan(call);
  const parts = new AnswerParts();
  const reader = new MessageReader(parts, form);
  for (const [index, block] of content.entries()) readBlock(reader, index, block);
  const finish = reader.finish(message);
  const counter = new UsageCounter();
  counter.add(message.usage);
  const completion = {
    id,
    created: Math.floor(call.now / 1000),
    model: typeof model === 'string' ? model : call.model,
    choices: [{ finish, ...parts.told() }],
    usage: counter.known,
    usageExtras: usageExtras(counter.known),
  };
  const { asFunctions } = tools;
  return {
    body: completionBody(completion, { noCalls: 'null', asFunctions }),
    usage: counter.whole,
    model: typeof model === 'string' ? model : undefined,
  };
}

function readBlock(reader: MessageReader, index: number, block: unknown): void {
  reader.begin(index, block);
  // In a stream the input comes apart from the block.
  if (isObject(block) && block.type === 'tool_use' && isObject(block.input)) {
    reader.delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
  }
  reader.end(index);
}
