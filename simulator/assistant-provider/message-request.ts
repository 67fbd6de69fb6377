// A request that passed every check, as the rest of the format looks at it.
import type { Json } from '../checks.ts';
import type { Version } from './authorization.ts';
import type { Message } from './messages.ts';
import type { SimulatedModel } from './models.ts';
import type { PromptTokens } from './prompt.ts';
import type { Thinking } from './thinking.ts';

/** Fields are as sent; `body` holds the rest. */
export interface MessageRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly messages: readonly Message[];
  readonly thinking: Thinking;
  readonly prompt: PromptTokens;
  readonly version: Version;
  readonly betas: ReadonlySet<string>;
}
