// The formats that clients speak. A new one is a folder and a row here.
import { textsOfChunk } from './formats/chat-completions/event-texts.ts';
import { chatModels } from './formats/chat-completions/models-list.ts';
import { writeChatError } from './formats/chat-completions/write-error.ts';
import type { ClientFormat, ClientFormatName } from './formats/client-format.ts';
import { converseClients } from './formats/converse/client.ts';
import { converseTexts, invokeTexts } from './formats/converse/event-texts.ts';
import { invokeClients } from './formats/converse/invoke.ts';
import { converseErrorHeaders, writeConverseError, writeConverseStreamError } from './formats/converse/write-error.ts';
import { generateContentClients } from './formats/generate-content/client.ts';
import { textsOfCandidates } from './formats/generate-content/event-texts.ts';
import { generateContentModels } from './formats/generate-content/models-list.ts';
import { writeGenerateContentError } from './formats/generate-content/write-error.ts';
import { messagesClients } from './formats/messages/client.ts';
import { textsOfMessageEvent } from './formats/messages/event-texts.ts';
import { messagesModels } from './formats/messages/models-list.ts';
import { writeMessagesError } from './formats/messages/write-error.ts';
import { responsesClients } from './formats/responses/client.ts';
import { textsOfResponseEvent } from './formats/responses/event-texts.ts';
import { writeResponsesStreamError } from './formats/responses/write-error.ts';
import { listTexts, sseTexts } from './formats/streamed-texts.ts';

const invoke = invokeClients(messagesClients);

/** The errors of one SDK, whose list of models is at another host. */
const cloudClients = {
  requestIdHeader: 'x-amzn-requestid',
  writeError: writeConverseError,
  errorHeaders: converseErrorHeaders,
  writeStreamError: writeConverseStreamError,
  models: chatModels,
} as const;

export const clientFormats: Readonly<Record<ClientFormatName, ClientFormat>> = {
  chat_completions: {
    requestIdHeader: undefined,
    readsComments: true,
    writeError: writeChatError,
    writeStreamError: (error) => `data: ${JSON.stringify(writeChatError(error))}\n\n`,
    models: chatModels,
    openTexts: () => sseTexts(textsOfChunk),
    metadataField: 'metadata',
  },
  messages: {
    requestIdHeader: 'request-id',
    readsComments: true,
    writeError: writeMessagesError,
    writeStreamError: (error) => `event: error\ndata: ${JSON.stringify(writeMessagesError(error))}\n\n`,
    models: messagesModels,
    openTexts: () => sseTexts(textsOfMessageEvent),
    // It has the end user only.
    metadataField: undefined,
    translation: messagesClients,
  },
  generate_content: {
    requestIdHeader: undefined,
    writeError: writeGenerateContentError,
    writeStreamError: (error, { path, first }) => {
      const json = JSON.stringify(writeGenerateContentError(error));
      if (path?.framing !== 'json_array') return `data: ${json}\n\n`;
      // A stream that has begun has no bytes before its first text.
      return `${first === undefined ? '[' : ',\r\n'}${json}`;
    },
    models: generateContentModels,
    openTexts: (framing) => (framing === 'json_array' ? listTexts : sseTexts)(textsOfCandidates),
    metadataField: 'labels',
    translation: generateContentClients,
  },
  responses: {
    requestIdHeader: undefined,
    readsComments: true,
    writeError: writeChatError,
    writeStreamError: writeResponsesStreamError,
    models: chatModels,
    openTexts: () => sseTexts(textsOfResponseEvent),
    metadataField: 'metadata',
    translation: responsesClients,
  },
  converse: {
    ...cloudClients,
    openTexts: converseTexts,
    metadataField: 'requestMetadata',
    translation: converseClients(invoke),
  },
  invoke: {
    ...cloudClients,
    openTexts: () => invokeTexts(textsOfMessageEvent),
    metadataField: undefined,
    translation: invoke,
  },
};
