// A request that passed every check, in the form that the rest of this folder reads.
import type { Json } from '../checks.ts';
import type { Version } from './authorization.ts';
import type { Message } from './messages.ts';
import type { SimulatedModel } from './models.ts';
import type { PromptTokens } from './prompt.ts';
import type { Thinking } from './thinking.ts';

/** `body` contains the fields as sent. */
export interface MessageRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly messages: readonly Message[];
  readonly thinking: Thinking;
  readonly prompt: PromptTokens;
  readonly version: Version;
  readonly betas: ReadonlySet<string>;
}
