// The formats that clients speak. A new one is a folder and a row here.
import { chatModels } from './formats/chat-completions/models-list.ts';
import { writeChatError } from './formats/chat-completions/write-error.ts';
import type { ClientFormat, ClientFormatName } from './formats/client-format.ts';
import { generateContentModels } from './formats/generate-content/models-list.ts';
import { writeGenerateContentError } from './formats/generate-content/write-error.ts';
import { messagesModels } from './formats/messages/models-list.ts';
import { writeMessagesError } from './formats/messages/write-error.ts';

export const clientFormats: Readonly<Record<ClientFormatName, ClientFormat>> = {
  chat_completions: { requestIdHeader: undefined, writeError: writeChatError, models: chatModels },
  messages: { requestIdHeader: 'request-id', writeError: writeMessagesError, models: messagesModels },
  generate_content: {
    requestIdHeader: undefined,
    writeError: writeGenerateContentError,
    models: generateContentModels,
  },
};
