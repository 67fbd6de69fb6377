// A chat request as the writers of other formats take it. Built from the one parsed body, which stays unchanged.
import { isObject } from '../../../common/json.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ResponseFormat } from '../../conversation/output-mode.ts';
import { type ConversationRequest, type OptionFields, optionsOf } from '../../conversation/request.ts';
import type { Tools } from '../../conversation/tools.ts';
import { citedField, markedFields } from './cache-marks.ts';
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

  /** Results of deprecated functions have their name there. */
  namesSpeakers(): boolean {
    const list: readonly unknown[] = Array.isArray(this.options.messages) ? this.options.messages : [];
    return list.some(
      (one) => isObject(one) && one.role !== 'function' && one.role !== 'tool' && isGiven(one.name),
    );
  }
}
