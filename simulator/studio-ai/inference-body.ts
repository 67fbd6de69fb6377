// A body of the inference API. It has fewer parameters and stricter messages than the models' own API, and a header
// that decides how unknown parameters are treated. Follows the service's definition of 2024-05-01-preview and its
// client's types.
import {
  anything,
  arrayOf,
  boolean,
  type Check,
  decimal,
  FieldFault,
  integer,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  picked,
  string,
  tagged,
} from '../checks.ts';
import { audioPart, checkOrder, functionToolCall, imageUrl } from '../gpt-provider/messages.ts';
import { chatParameters } from '../gpt-provider/parameters.ts';
import { Refusal } from '../gpt-provider/refusal.ts';
import { type ChatRequest, chatRequest } from '../gpt-provider/request.ts';
import { checkFit, checkRules } from '../gpt-provider/rules.ts';
import { functionToolChoice, functionTools } from '../gpt-provider/tools.ts';
import type { Deployment } from './deployments.ts';
import { asVendor } from './dialect.ts';
import { type Detail, detailOf, extraInput, invalidInput } from './invalid-input.ts';
import { checkMake, type Make } from './makes.ts';
import { badRequest, type StudioRefusal } from './refusal.ts';

export interface InferenceRequest {
  /** The value of the header `extra-parameters`. */
  readonly extra: string;
  readonly body: Json;
  readonly deployment: Deployment;
  /** Makes the refusal of unknown parameters. */
  readonly refuseExtra: (extras: Json) => StudioRefusal;
}

/** @throws StudioRefusal, Refusal, FieldFault */
export function parseInferenceBody({ extra, body, deployment, refuseExtra }: InferenceRequest): ChatRequest {
  if (extra !== 'error' && extra !== 'drop' && extra !== 'pass-through') {
    throw badRequest(`Invalid value for the extra-parameters header: ${extra}`);
  }
  const { known, extras } = apart(body);
  if (extra === 'error' && Object.keys(extras).length > 0) throw refuseExtra(extras);
  checkKnown(known, '');
  const passed = extra === 'pass-through' ? extras : {};
  const request = chatRequest({ ...known, ...passed }, deployment);
  const { make } = deployment;
  if (make === undefined) asGpt(request);
  else asMake(request, passed, make);
  return request;
}

export function extraInputs(extras: Json): StudioRefusal {
  return invalidInput(Object.entries(extras).map(([name, value]): Detail => extraInput(name, value)));
}

function apart(body: Json): { known: Json; extras: Json } {
  const entries = Object.entries(body);
  const isKnown = (name: string) => name === 'messages' || Object.hasOwn(parameters, name);
  return {
    known: Object.fromEntries(entries.filter(([name]) => isKnown(name))),
    extras: Object.fromEntries(entries.filter(([name]) => !isKnown(name))),
  };
}

/** A GPT model checks every parameter that reaches it, and refuses with its own vendor's texts. */
function asGpt(request: ChatRequest): void {
  try {
    checkGptBody(request.body, '');
    checkOrder(request.messages);
    checkRules(request);
  } catch (error) {
    if (error instanceof FieldFault || error instanceof Refusal) throw asVendor(error);
    throw error;
  }
}

function asMake(request: ChatRequest, extras: Json, make: Make): void {
  try {
    object({}, make.extras)(extras, '');
    checkOrder(request.messages);
    checkFit(request);
  } catch (error) {
    if (error instanceof FieldFault) throw invalidInput([detailOf(error)]);
    if (error instanceof Refusal) throw badRequest(error.error.message);
    throw error;
  }
  checkMake(request, make);
}

const checkGptBody = object({ messages: anything }, { ...chatParameters, model: anything });

const role = anything;
const name = string();
const content = string();
const parts = arrayOf(
  tagged('type', {
    text: object({ type: anything, text: string() }),
    image_url: object({
      type: anything,
      image_url: object({ url: imageUrl }, { detail: oneOf('auto', 'low', 'high') }),
    }),
    audio_url: object({ type: anything, audio_url: object({ url: string({ min: 1 }) }) }),
    input_audio: object({ type: anything, input_audio: audioPart }),
  }),
  { min: 1 },
);

const userContent: Check = (value, path) => {
  if (Array.isArray(value)) parts(value, path);
  else content(value, path);
};

// Only a user's content may have parts; all other content is a string.
const messages = arrayOf(
  tagged('role', {
    system: object({ role, content }, { name }),
    developer: object({ role, content }, { name }),
    user: object({ role, content: userContent }, { name }),
    assistant: assistantMessage,
    tool: object({ role, content, tool_call_id: string({ min: 1 }) }, { name }),
  }),
  { min: 1 },
);

function assistantMessage(value: unknown, path: string): void {
  const calls = arrayOf(tagged('type', { function: functionToolCall }), { min: 1 });
  const calling = isObject(value) && value.tool_calls !== undefined;
  object({ role, ...(!calling && { content }) }, { content: nullable(content), name, tool_calls: calls })(value, path);
}

const parameters: Readonly<Record<string, Check>> = {
  ...picked(chatParameters, ['response_format']),
  frequency_penalty: decimal(-2, 2),
  max_tokens: integer(1),
  model: string(),
  presence_penalty: decimal(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER),
  stop: arrayOf(string(), { min: 1 }),
  stream: boolean,
  // The definition's maximum is 1, that of GPT models 2. Whether the service enforces 1 is unknown.
  temperature: decimal(0, 1),
  tool_choice: functionToolChoice,
  tools: functionTools,
  top_p: decimal(0, 1),
};

const checkKnown = object({ messages }, parameters);
