// How a classifier model is asked about a text and what its answer means, as both planes know it: pure functions from a text to
// messages and from what the model says to what was found. What is no answer of the form is a check that failed, never a pass.
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
  /** The model card that the form is from. */
  readonly source: string;
  /** UTF-16 units of one text: what the model reads, less what it is asked with. */
  readonly textMax: number;
  /** Tokens of an answer, at most. */
  readonly responseTokensMax: number;
  /** What is wrong with what the operator says; undefined: nothing. */
  problem(setup: ModelSetup): { readonly at: string; readonly description: string } | undefined;
  /** Whether an answer is compared with what the model was shown: then it makes no sense at the input. */
  compares(setup: ModelSetup): boolean;
  ask(text: string, requested: ModelQuery, setup: ModelSetup): readonly ModelMessage[];
  /** @throws NoResponseError */
  read(text: string, setup: ModelSetup): readonly ServiceFinding[];
}

export interface ModelQuery {
  readonly stage: Stage;
  readonly context: RequestContext;
}

/** Of what an answer is compared with the last is read: UTF-16 units. */
const sourcesMax = 20_000;

export function sourcesText({ sources }: RequestContext): string {
  return sources.join('\n\n').slice(-sourcesMax);
}
