// The table of losses: the fields of each client format. A new format is a file and a row here.
import type { ClientFormatName } from '../../../proxy/formats/client-format.ts';
import type { Probe } from '../probe.ts';
import { chatCompletionsProbes } from './chat-completions.ts';
import { converseProbes } from './converse.ts';
import { generateContentProbes } from './generate-content.ts';
import { invokeProbes } from './invoke.ts';
import { messagesProbes } from './messages.ts';
import { responsesProbes } from './responses.ts';

export interface LossTable {
  readonly probes: readonly Probe[];
  /** The type in sdk-requests.ts whose fields it has. */
  readonly sdkType: string;
  /** Fields of the SDK's type that are not in the body, with the reason. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

export const lossTables: Readonly<Record<ClientFormatName, LossTable>> = {
  chat_completions: {
    probes: chatCompletionsProbes,
    sdkType: 'ChatCompletions',
    elsewhere: { model: 'the gateway routes by it' },
  },
  messages: {
    probes: messagesProbes,
    sdkType: 'Messages',
    elsewhere: {
      model: 'the gateway routes by it',
      betas: 'the SDK sends it as a header',
      user_profile_id: 'the SDK sends it as a header',
      workspace_id: 'the SDK sends it as a header',
    },
  },
  responses: {
    probes: responsesProbes,
    sdkType: 'Responses',
    elsewhere: { model: 'the gateway routes by it' },
  },
  generate_content: { probes: generateContentProbes, sdkType: 'GenerateContent', elsewhere: {} },
  converse: { probes: converseProbes, sdkType: 'Converse', elsewhere: {} },
  invoke: {
    probes: invokeProbes,
    sdkType: 'Messages',
    elsewhere: {
      model: 'the path has it',
      stream: 'the path says it',
      betas: 'the SDK sends it as a header',
      user_profile_id: 'the SDK sends it as a header',
      workspace_id: 'the SDK sends it as a header',
    },
  },
};
