import type { JsonObject } from '../../../../common/json.ts';
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import { readMaxTokens, readStop } from '../../../conversation/options.ts';
import type { ToolChoice, ToolDefinition, Tools } from '../../../conversation/tools.ts';
import { markedFields } from '../cache-marks.ts';
import { passesToVendor, passingBody } from '../passed-fields.ts';
import type { ChatFormatCall } from '../read-request.ts';
import { toConversation } from '../to-conversation.ts';
import { foreignInMessages } from '../write-request.ts';
import { extraFields, fieldRules, hasExtraFields, type ReadBy, readBy, readNumbers } from './fields.ts';
import { plainConversation, plainMessages } from './messages.ts';
import { type InferencePlan, inferencePlan } from './request-plan.ts';

export interface InferenceBody {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  /** Whether the body contains fields that the API only passes on. */
  readonly hasExtra: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function inferenceBody(sent: ChatFormatCall): InferenceBody {
  const passing = passingBody(sent.request.body, sent.target.provider.passesField ?? passesToVendor);
  const call = { ...sent, request: { ...sent.request, body: passing.body } };
  const { request, model, capabilities } = call;
  const plan = inferencePlan(call);
  const conversationRequest = toConversation(request);
  const { options } = conversationRequest;
  const context = { options, capabilities };
  const { fields, dropped } = readNumbers(context);
  const stop = readStop(readBy(options, 'stop'));
  const instructions = plan.form.kind === 'words' ? [plan.form.text] : [];
  const { conversation, emulated } = plainConversation(request, capabilities);
  const body: JsonObject = {
    model,
    messages: plainMessages(conversation, capabilities, instructions),
    ...fields,
    ...outputLimit(readBy(options, 'outputLimit'), capabilities),
    ...(stop.length > 0 && { stop }),
    ...streamFields(call),
    ...toolFields(plan.tools),
    ...responseFormat(plan, call),
    ...extraFields(context),
  };
  return {
    body,
    dropped: [
      ...passing.dropped,
      ...fieldRules.dropped(conversationRequest, context),
      ...dropped,
      ...markedFields(request.body),
      ...conversationRequest.inMessages([...foreignInMessages, 'messages.audio']),
    ],
    emulated,
    hasExtra: hasExtraFields(body),
  };
}

function outputLimit(options: ReadBy<'outputLimit'>, capabilities: ModelCapabilities): JsonObject {
  const tokens = readMaxTokens(options);
  const name = capabilities.outputLimit === 'either' ? 'max_tokens' : capabilities.outputLimit;
  return tokens === undefined ? {} : { [name]: tokens };
}

/** Requests usage in streams. One model family always reports it and rejects the field. */
function streamFields({ request, capabilities }: ChatFormatCall): JsonObject {
  if (!request.stream) return {};
  return {
    stream: true,
    ...(capabilities.family !== 'mistral' && { stream_options: { include_usage: true } }),
  };
}

function toolFields({ definitions, choice }: Tools): JsonObject {
  const allowed =
    choice.kind === 'allowed' ? definitions.filter(({ name }) => choice.names.includes(name)) : definitions;
  // Without tools there is no choice to make.
  if (allowed.length === 0) return {};
  return { tools: allowed.map(vendorTool), ...vendorChoice(choice) };
}

function vendorTool({ name, description, parameters, strict }: ToolDefinition): JsonObject {
  return { type: 'function', function: { name, description, parameters, strict } };
}

function vendorChoice(choice: ToolChoice): JsonObject {
  switch (choice.kind) {
    case 'default':
      return {};
    case 'auto':
    case 'none':
    case 'required':
      return { tool_choice: choice.kind };
    case 'named':
      return { tool_choice: { type: 'function', function: { name: choice.name } } };
    case 'allowed':
      return { tool_choice: choice.mode };
  }
}

/** With a schema described in the prompt, JSON mode is still requested if the model has it. */
function responseFormat({ form, format }: InferencePlan, { request, capabilities }: ChatFormatCall): JsonObject {
  if (form.kind === 'native') return { response_format: request.body.response_format };
  const isJson = form.kind === 'json' || (form.kind === 'words' && format.kind === 'schema' && capabilities.jsonMode);
  return isJson ? { response_format: { type: 'json_object' } } : {};
}
