// Chat requests as callers send them: made from tables, each with a name of its own. What is not ordinary about one is in one place of
// it; the rest is a plain conversation. Every text that a model is to read holds the name's words once, so that a loss is seen.
import { contentRequests } from './request-contents.ts';
import { optionRequests } from './request-options.ts';
import { schemaRequests } from './request-schemas.ts';
import { turnRequests } from './request-turns.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface CorpusRequest {
  /** Unique, as `group: what is special`. */
  readonly name: string;
  /** Without a model. */
  readonly body: Json;
}

export const corpusRequests: readonly CorpusRequest[] = [
  ...contentRequests,
  ...turnRequests,
  ...schemaRequests,
  ...optionRequests,
];
