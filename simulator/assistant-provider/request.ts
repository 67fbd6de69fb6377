// Parses a request in the vendor's order: each field alone, unknown fields, the model, then the rules among fields and
// of that model.
import { FieldFault, isObject, type Json } from '../checks.ts';
import type { Version } from './authorization.ts';
import type { MessageRequest } from './message-request.ts';
import { readMessages } from './messages.ts';
import { findModel, type SimulatedModel } from './models.ts';
import { type Parameter, parametersFor } from './parameters.ts';
import { promptTokens } from './prompt.ts';
import { Refusal } from './refusal.ts';
import { checkRules } from './rules.ts';
import { thinkingOf } from './thinking.ts';

/** The parts of the path and headers that decide how a body is read. */
export interface Reading {
  readonly endpoint: 'message' | 'count';
  readonly version: Version;
  readonly betas: ReadonlySet<string>;
}

/** @throws Refusal, FieldFault */
export function parseRequest(body: unknown, { endpoint, version, betas }: Reading): MessageRequest {
  if (!isObject(body)) throw new Refusal(400, 'The request body must be a JSON object.');
  checkParameters(body, parametersFor({ endpoint, version, betas }));
  const model = knownModel(String(body.model));
  const messages = readMessages(body.messages as readonly Json[]);
  const request = {
    body,
    model,
    messages,
    thinking: thinkingOf(body, model),
    prompt: promptTokens(body, messages, model.cacheableTokensMin),
    version,
    betas,
  };
  checkRules(request);
  return request;
}

/** @throws Refusal 404 */
export function knownModel(name: string): SimulatedModel {
  const model = findModel(name);
  if (model === undefined) throw new Refusal(404, `model: ${name}`);
  return model;
}

function checkParameters(body: Json, parameters: readonly Parameter[]): void {
  for (const { name, check, required } of parameters) {
    if (Object.hasOwn(body, name)) check(body[name], name);
    else if (required) throw new FieldFault(name, { kind: 'missing' }, undefined);
  }
  const known = new Set(parameters.map(({ name }) => name));
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined) throw new FieldFault(unknown, { kind: 'unknown' }, body[unknown]);
}
