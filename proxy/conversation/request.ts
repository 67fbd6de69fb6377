// A client's request as the writers of other formats take it, whatever format it came in. Each part is read when a writer wants it,
// so that a request is refused for the first thing in it that cannot be written.
import type { JsonObject } from '../../common/json.ts';
import type { Conversation } from './conversation.ts';
import type { FieldName, Options } from './fields.ts';
import type { ResponseFormat } from './output-mode.ts';
import type { Tools } from './tools.ts';

/**
 * The fields of a request as the client sent them, under the names that chat completions has for them: what writers still read one by
 * one, with the readers of options.ts. Fields that nobody knows by name are among them too.
 */
export type OptionFields = Options<FieldName> & { readonly [name: string]: unknown };

/** A parsed object can be read under every name: one that it lacks is undefined. */
export function optionsOf(body: JsonObject): OptionFields {
  return body as OptionFields;
}

export interface ConversationRequest {
  readonly options: OptionFields;
  readonly stream: boolean;
  /** @throws GatewayError invalid_request that names the message */
  conversation(): Conversation;
  /**
   * @param options with the caller's own tools alone, where a format takes tools of its own
   * @throws GatewayError invalid_request, unsupported_parameter
   */
  tools(options?: OptionFields): Tools;
  /** @throws GatewayError invalid_request */
  responseFormat(): ResponseFormat;
  /** The fields in which the request marks what is to be cached. */
  cacheMarks(): string[];
  /** The field in which it wants a file cited, if it does. */
  citations(): string[];
  /** Whether messages say who of several users or agents speaks. */
  namesSpeakers(): boolean;
}
