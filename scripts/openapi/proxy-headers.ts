// The headers of the proxy's responses, for its document.
import type { Schema } from './schemas.ts';

function header(description: string, type: 'string' | 'integer' = 'string'): Schema {
  return { description, schema: { type } };
}

export const responseHeaders: Readonly<Record<string, Schema>> = {
  'x-request-id': header('Id of the request in the logs'),
  'x-svc-provider': header('The provider that was called'),
  'x-svc-model': header('The model that was called, without its provider'),
  'x-svc-route': header('The route that was called; for a route that replaces a model, the model'),
  'x-svc-cache': header('`hit` or `miss`, of a route that caches responses'),
  'x-svc-attempts': header('Attempts at providers', 'integer'),
  'x-svc-cost': header('Cost of a whole response, in USD'),
  'x-svc-captured': header('`true`: an owner of the organization has texts of requests of this key kept'),
  'x-svc-guardrails': header('Guardrails that applied, and what they decided'),
  'x-svc-dropped-params': header('Fields of the request that the model does not get'),
  'x-svc-emulated-params': header('Fields of the request whose effect is emulated'),
  'x-svc-max-tokens': header('The limit of output tokens that the gateway set', 'integer'),
  'x-svc-estimated': header('`true`: the count of tokens is an estimate'),
  'x-svc-upstream-request-id': header("The provider's id of the request"),
};

export const errorHeaders: Readonly<Record<string, Schema>> = {
  'x-svc-error-source': header('`gateway` or `provider`'),
  'x-svc-error-code': header('The code of the error, in every format'),
  'x-amzn-errortype': header('Class of the error, for clients of Converse and InvokeModel'),
  'retry-after': header('Seconds after which a further request may succeed', 'integer'),
  'x-should-retry': header('`false`: waiting does not help'),
};
