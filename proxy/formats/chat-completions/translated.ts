// Makes another format usable by clients of chat completions: requests become conversations, and responses in that
// format become chat completions.

import { type Issuer, issuerOf } from '../../conversation/opaque.ts';
import { isGiven } from '../../conversation/options.ts';
import type { Format, FormatCall, TranslatedCall, TranslatedFormat } from '../format.ts';
import { clientThinking, formOfThought, vendorThinking } from './client-thinking.ts';
import type { ChatRequest } from './read-request.ts';
import { toConversation } from './to-conversation.ts';
import { type CompletionForm, completionBody } from './write-response.ts';
import { ChunkWriter } from './write-stream.ts';

/** @param form how a response without tool calls writes `tool_calls`, if not as null */
export function forChatClients(
  format: TranslatedFormat,
  { noCalls = 'null' }: Partial<Pick<CompletionForm, 'noCalls'>> = {},
): Format<ChatRequest> {
  return {
    name: format.name,
    streamType: format.streamType,
    writeRequest: (call) => {
      const { request, dropped } = vendorThinking(call.request, issuerAt(call));
      const written = format.writeRequest(translatedCall(call, request));
      return dropped.length === 0
        ? written
        : { ...written, dropped: [...new Set([...(written.dropped ?? []), ...dropped])] };
    },
    readResponse: (call, response) => {
      const { message: read, usage, model } = format.readResponse(translatedCall(call), response);
      const message = wrapsThinking(call) ? clientThinking(read, issuerAt(call)) : read;
      return { body: completionBody(message, { noCalls, asFunctions: usesFunctions(call) }), usage, model };
    },
    openStream: (call, head, limits) => {
      const { includeUsage, client } = call.request;
      const separateThoughts = client !== undefined;
      const options = {
        ...{ includeUsage, costText: call.costText, asFunctions: usesFunctions(call), separateThoughts },
        ...(wrapsThinking(call) && { formOfThought: formOfThought(issuerAt(call)) }),
      };
      return format.openStream(translatedCall(call), { head, limits, writer: new ChunkWriter(options) });
    },
    readError: format.readError,
  };
}

/** Copies field by field: a spread costs more than everything else this function does. */
function translatedCall(call: FormatCall<ChatRequest>, request = call.request): TranslatedCall {
  return {
    request: toConversation(request),
    model: call.model,
    capabilities: call.capabilities,
    outputTokensMax: call.outputTokensMax,
    target: call.target,
    now: call.now,
    images: call.images,
  };
}

function issuerAt({ target }: FormatCall<ChatRequest>): Issuer {
  return issuerOf(target.provider.name, target.providerKeyId);
}

function wrapsThinking({ request }: FormatCall<ChatRequest>): boolean {
  return request.client?.translation.wrapsThinking === true;
}

/** Whether the request used the deprecated `functions`. If so, the response must too. */
function usesFunctions({ request }: FormatCall<ChatRequest>): boolean {
  return !isGiven(request.body.tools) && isGiven(request.body.functions);
}
