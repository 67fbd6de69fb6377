// How a classifier model is prompted with a text, and how its response is read, for both planes: pure functions from a
// text to messages, and from a response to matches. A response that does not follow the form is a failed check, never a
// pass.
import type { Stage } from '../definition.ts';
import type { RequestContext, ServiceFinding } from '../services/adapter.ts';

export interface ModelSetup {
  readonly criterion: string;
  readonly topics: readonly string[];
  /** Empty: all. */
  readonly categories: readonly string[];
  readonly scoreMin: number | undefined;
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'context';
  readonly content: string;
}

export interface ModelForm {
  /** The model card that describes the form. */
  readonly source: string;
  /** Maximum of one text in UTF-16 units: the model's context minus the prompt. */
  readonly textMax: number;
  /** Maximum of tokens in a response. */
  readonly responseTokensMax: number;
  /** Describes what is wrong with the operator's setup; undefined if nothing is. */
  problem(setup: ModelSetup): { readonly at: string; readonly description: string } | undefined;
  /** Whether a response is compared with the model's input; such a check makes no sense at the input. */
  compares(setup: ModelSetup): boolean;
  ask(text: string, requested: ModelQuery, setup: ModelSetup): readonly ModelMessage[];
  /** @throws NoResponseError */
  read(text: string, setup: ModelSetup): readonly ServiceFinding[];
}

export interface ModelQuery {
  readonly stage: Stage;
  readonly context: RequestContext;
}

/** Only the last part of the sources is compared: UTF-16 units. */
const sourcesMax = 20_000;

export function sourcesText({ sources }: RequestContext): string {
  return sources.join('\n\n').slice(-sourcesMax);
}
