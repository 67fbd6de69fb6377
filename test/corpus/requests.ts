// Chat requests as callers send them, made from tables, with unique names. Each request is unusual in one place only;
// the rest is a plain conversation. Every text for the model contains the name's words once, so that a loss is noticed.
import { contentRequests } from './request-contents.ts';
import { optionRequests } from './request-options.ts';
import { schemaRequests } from './request-schemas.ts';
import { turnRequests } from './request-turns.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface CorpusRequest {
  /** Unique, in the form `group: special case`. */
  readonly name: string;
  /** Body without a model. */
  readonly body: Json;
}

export const corpusRequests: readonly CorpusRequest[] = [
  ...contentRequests,
  ...turnRequests,
  ...schemaRequests,
  ...optionRequests,
];
