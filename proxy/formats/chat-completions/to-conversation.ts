// Presents a chat request as a conversation request to the writers of other formats. The parsed body stays unchanged.
import { isObject } from '../../../common/json.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { MessageField } from '../../conversation/message-fields.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ResponseFormat } from '../../conversation/output-mode.ts';
import { type ConversationRequest, type OptionFields, optionsOf } from '../../conversation/request.ts';
import type { Tools } from '../../conversation/tools.ts';
import { citedField, markedFields } from './cache-marks.ts';
import { givenInMessages } from './message-fields.ts';
import { readConversation } from './read-conversation.ts';
import type { ChatRequest } from './read-request.ts';
import { readResponseFormat } from './read-response-format.ts';
import { readTools } from './read-tools.ts';

export function toConversation(request: ChatRequest): ConversationRequest {
  return new ChatConversation(request);
}

class ChatConversation implements ConversationRequest {
  readonly options: OptionFields;
  readonly stream: boolean;
  readonly #request: ChatRequest;

  constructor(request: ChatRequest) {
    this.options = optionsOf(request.body);
    this.stream = request.stream;
    this.#request = request;
  }

  conversation(): Conversation {
    return readConversation(this.#request);
  }

  tools(options: OptionFields = this.options): Tools {
    return readTools(options);
  }

  responseFormat(): ResponseFormat {
    return readResponseFormat(this.options);
  }

  cacheMarks(): string[] {
    return markedFields(this.options);
  }

  citations(): string[] {
    return citedField(this.options);
  }

  /** Messages with the results of tools and deprecated functions do not count: their name is the function's. */
  namesSpeakers(): boolean {
    const list: readonly unknown[] = Array.isArray(this.options.messages) ? this.options.messages : [];
    return list.some((one) => isObject(one) && one.role !== 'function' && one.role !== 'tool' && isGiven(one.name));
  }

  inMessages(fields: readonly MessageField[]): string[] {
    return givenInMessages(this.options.messages, fields);
  }
}
