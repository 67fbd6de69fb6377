// What a vendor's guardrail service is, as both planes know it: pure functions from texts to requests and from responses to what was
// found, and what the service takes, which the control plane checks before anything is stored. It opens no connection.
import type { Stage } from '../definition.ts';

/** From `start` to before `end`, in UTF-16 units of the text that was asked about. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ServiceFinding {
  /** In the form `^[A-Z][A-Z0-9_]*$`. */
  readonly label: string;
  /** Where; absent: the service does not say, or means all of the text. */
  readonly span?: Span;
}

/** Of one text. Nothing found: it passes. */
export interface TextVerdict {
  readonly found: readonly ServiceFinding[];
  /** The text as the service masks it, where that is all that it would do. */
  readonly masked?: string;
}

export interface ServiceSetup {
  readonly options: Readonly<Record<string, string>>;
  /** From this score on something counts; undefined: as the service judges. */
  readonly scoreMin: number | undefined;
}

/** What the texts are part of, for services that compare. */
export interface RequestContext {
  /** What an answer may rest on: all that the model was shown but its caller's last question. */
  readonly sources: readonly string[];
  readonly query: string;
}

export interface ServiceTexts {
  readonly stage: Stage;
  /** None empty, none longer than the adapter's textMax. */
  readonly texts: readonly string[];
  readonly context: RequestContext;
}

/** One request of a question; POST with a JSON body. */
export interface ServiceExchange {
  /** Which of the texts it is about, by their index. */
  readonly texts: readonly number[];
  /** Behind the service's URL. */
  readonly path: string;
  readonly body: object;
  /** @param answer JSON, as it came @returns a verdict for each of its texts, in their order @throws NoResponseError */
  read(response: unknown): readonly TextVerdict[];
}

/** How a service knows who asks. */
export type ServiceAuthentication =
  | { readonly kind: 'header'; readonly name: string; readonly prefix: string; readonly isOptional?: boolean }
  /** Signature Version 4, or a bearer token; without a credential of its own the organization's stored key of managed-cloud-models. */
  | { readonly kind: 'aws'; readonly region: string }
  /** An access token for the key of a service account. */
  | { readonly kind: 'google'; readonly scope: string };

export interface OptionRule {
  readonly form: RegExp;
  readonly isRequired?: boolean;
  readonly about: string;
}

export interface ServiceAdapter {
  /** Which pages of the vendor's, or which SDK's types, the wire format is from. */
  readonly source: string;
  /** Undefined: it has none for all, the guardrail names it. `{name}` stands for an option. */
  readonly url: string | undefined;
  readonly options: Readonly<Record<string, OptionRule>>;
  readonly authentication: ServiceAuthentication['kind'];
  authenticate(setup: ServiceSetup): ServiceAuthentication;
  /** Says where something is, or what is left of a text without it. */
  readonly redacts: boolean;
  /** UTF-16 units of one text. */
  readonly textMax: number;
  /** Whether score_min means something to it. */
  readonly scores: boolean;
  ask(requested: ServiceTexts, setup: ServiceSetup): readonly ServiceExchange[];
}

/** What came is no answer of the service: the guardrail's failure rule decides. */
export class NoResponseError extends Error {
  constructor(why: string) {
    super(`the service's answer is none: ${why}`);
    this.name = 'NoAnswerError';
  }
}
