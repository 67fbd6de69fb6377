// Parses a chat request in the vendor's order: parameters, the model, then combinations of parameters.
import { isObject, object, string } from '../checks.ts';
import { messages } from './messages.ts';
import { findModel } from './models.ts';
import { chatParameters } from './parameters.ts';
import { Refusal } from './refusal.ts';
import { type ChatRequest, chatRequest } from './request.ts';
import { checkRules } from './rules.ts';

/** @throws Refusal, FieldFault */
export function parseChatRequest(body: unknown): ChatRequest {
  if (!isObject(body) || body.model === undefined) {
    throw new Refusal(400, { message: 'you must provide a model parameter' });
  }
  checkParameters(body, '');
  const model = findModel(body.model as string);
  if (model === undefined) throw unknownModel(body.model as string);
  if (!model.chat) {
    const message =
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?';
    throw new Refusal(404, { message, param: 'model' });
  }
  const request = chatRequest(body, model);
  checkRules(request);
  return request;
}

export function unknownModel(name: string): Refusal {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return new Refusal(404, { message, code: 'model_not_found' });
}

const checkParameters = object({ model: string(), messages }, chatParameters);
