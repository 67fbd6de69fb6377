// A client's request as the writers of other formats read it, whichever format it came in. Each part is read only when
// a writer needs it, so that a request is refused for the first part that cannot be written.
import type { JsonObject } from '../../common/json.ts';
import type { Conversation } from './conversation.ts';
import type { FieldName, Options } from './fields.ts';
import type { MessageField } from './message-fields.ts';
import type { ResponseFormat } from './output-mode.ts';
import type { Tools } from './tools.ts';

/**
 * The fields of a request as the client sent them, under their names in chat completions. Writers read these one by
 * one, with the readers of options.ts. Fields without a known name are among them too.
 */
export type OptionFields = Options<FieldName> & { readonly [name: string]: unknown };

/** A parsed object can be read under every name: a field that it lacks is undefined. */
export function optionsOf(body: JsonObject): OptionFields {
  return body as OptionFields;
}

export interface ConversationRequest {
  readonly options: OptionFields;
  readonly stream: boolean;
  /** @throws GatewayError invalid_request that names the message */
  conversation(): Conversation;
  /**
   * @param options with only the caller's own tools, if a format accepts tools of its own
   * @throws GatewayError invalid_request, unsupported_parameter
   */
  tools(options?: OptionFields): Tools;
  /** @throws GatewayError invalid_request */
  responseFormat(): ResponseFormat;
  /** The fields in which the request marks parts of the prompt for the cache. */
  cacheMarks(): string[];
  /** The field in which the request demands citations of a file, if it does. */
  citations(): string[];
  /** Whether messages name their speaker, among several users or agents. */
  namesSpeakers(): boolean;
  /** Of these fields, those that messages have. */
  inMessages(fields: readonly MessageField[]): string[];
}
