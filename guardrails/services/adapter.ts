// The adapter of a vendor's guardrail service, for both planes: pure functions from texts to requests and from
// responses to matches, and the accepted settings, which the control plane checks before it stores anything. It opens
// no connection.
import type { Stage } from '../definition.ts';

/** From `start` to before `end`, in UTF-16 units of the inspected text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ServiceFinding {
  /** In the form `^[A-Z][A-Z0-9_]*$`. */
  readonly label: string;
  /** Location of the match; absent: the service does not report one, or means the whole text. */
  readonly span?: Span;
}

/** The verdict on one text. Without matches the text passes. */
export interface TextVerdict {
  readonly found: readonly ServiceFinding[];
  /** The text as masked by the service, if masking is all that the service would do. */
  readonly masked?: string;
}

export interface ServiceSetup {
  readonly options: Readonly<Record<string, string>>;
  /** The score from which a result counts; undefined: the service decides. */
  readonly scoreMin: number | undefined;
}

/** The request around the texts, for services that compare. */
export interface RequestContext {
  /** The texts on which a response may rest: all input of the model except the caller's last question. */
  readonly sources: readonly string[];
  readonly query: string;
}

export interface ServiceTexts {
  readonly stage: Stage;
  /** None is empty or longer than the adapter's textMax. */
  readonly texts: readonly string[];
  readonly context: RequestContext;
}

/** One HTTP request of a check: POST with a JSON body. */
export interface ServiceExchange {
  /** Indexes of the texts that it contains. */
  readonly texts: readonly number[];
  /** Appended to the service's URL. */
  readonly path: string;
  readonly body: object;
  /**
   * @param response the parsed JSON of the response
   * @returns a verdict for each of its texts, in order
   * @throws NoResponseError
   */
  read(response: unknown): readonly TextVerdict[];
}

/** How the gateway authenticates to a service. */
export type ServiceAuthentication =
  | { readonly kind: 'header'; readonly name: string; readonly prefix: string; readonly isOptional?: boolean }
  /**
   * Signature Version 4, or a bearer token. Without its own credential, the guardrail uses the organization's stored
   * key of managed-cloud-models.
   */
  | { readonly kind: 'aws'; readonly region: string }
  /** An access token for a service account key. */
  | { readonly kind: 'google'; readonly scope: string };

export interface OptionRule {
  readonly form: RegExp;
  readonly isRequired?: boolean;
  readonly about: string;
}

export interface ServiceAdapter {
  /** The vendor's pages, or the SDK's types, that define the wire format. */
  readonly source: string;
  /** Undefined: there is no common URL, so the guardrail must name one. `{name}` stands for an option. */
  readonly url: string | undefined;
  readonly options: Readonly<Record<string, OptionRule>>;
  readonly authentication: ServiceAuthentication['kind'];
  authenticate(setup: ServiceSetup): ServiceAuthentication;
  /** Whether it reports locations, or the text without its matches. */
  readonly redacts: boolean;
  /** Maximum of one text in UTF-16 units. */
  readonly textMax: number;
  /** Whether it uses score_min. */
  readonly scores: boolean;
  ask(requested: ServiceTexts, setup: ServiceSetup): readonly ServiceExchange[];
}

/** The response is not valid for the service; the guardrail's failure rule decides. */
export class NoResponseError extends Error {
  constructor(why: string) {
    super(`the service's response is invalid: ${why}`);
    this.name = 'NoResponseError';
  }
}
