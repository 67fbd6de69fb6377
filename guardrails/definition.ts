// What a guardrail is, as both planes know it: the control plane checks and tests it, proxies apply it. Says nothing of how it
// came here or what is done with its findings.
import type { Secret } from '../common/secret.ts';
import type {
  FailureRule,
  GuardrailAction,
  GuardrailStage,
  PersonalDataType,
  RequestField,
} from '../proto/words/guardrails.ts';

export interface Guardrail {
  readonly id: string;
  /** Shown to callers. */
  readonly name: string;
  /** Guardrails are applied in this order, and of those with the same one the lesser id first: it is the older. */
  readonly position: number;
  readonly stage: GuardrailStage;
  readonly action: GuardrailAction;
  /** Where the check itself fails. */
  readonly onFailure: FailureRule;
  /** What a caller is told whose request it blocks; empty: that the guardrail has blocked it. */
  readonly message: string;
  /** Only for keys of these; empty = all of the organization. */
  readonly aiSystemIds: readonly string[];
  /** Only for these virtual keys, beside those of the AI systems; absent: none. */
  readonly keyIds?: readonly string[];
  readonly check: Check;
  /** Fields that the model does not see, inspected at the input as well; absent: none. */
  readonly also?: readonly RequestField[];
  /** Of a check that is asked, at the output: UTF-16 units that it is asked about at a time; absent: the default. */
  readonly window?: number;
  /** A guardrail with the same id and revision is the same. */
  readonly revision: number;
}

/** What is inspected in one go: never both. */
export type Stage = Exclude<GuardrailStage, 'both'>;

export type Check =
  | WordsCheck
  | PatternCheck
  | PersonalDataCheck
  | SecretsCheck
  | PromptSizeCheck
  | WebhookCheck
  | ModerationCheck
  | ServiceCheck
  | ModelCheck
  | UnknownCheck;

export type CheckKind = Check['kind'];

export type CheckOf<Kind extends CheckKind> = Extract<Check, { readonly kind: Kind }>;

interface KindTraits {
  /** By whom it is made: a matcher of the proxy's own, somebody who is asked, a count, or nobody. */
  readonly by: 'text' | 'asked' | 'size' | 'nobody';
  /** Whether it names what could be replaced. */
  readonly redacts: boolean | 'by adapter';
}

/** What is to be known of a kind outside its own file. */
export const kindTraits = {
  words: { by: 'text', redacts: true },
  pattern: { by: 'text', redacts: true },
  personal_data: { by: 'text', redacts: true },
  secrets: { by: 'text', redacts: true },
  prompt_size: { by: 'size', redacts: false },
  webhook: { by: 'asked', redacts: true },
  moderation: { by: 'asked', redacts: false },
  service: { by: 'asked', redacts: 'by adapter' },
  model: { by: 'asked', redacts: false },
  unknown: { by: 'nobody', redacts: true },
} as const satisfies Record<CheckKind, KindTraits>;

type KindsBy<By extends KindTraits['by']> = {
  [Kind in CheckKind]: (typeof kindTraits)[Kind]['by'] extends By ? Kind : never;
}[CheckKind];

export type TextKind = KindsBy<'text'>;
export type TextCheck = CheckOf<TextKind>;
export type ServiceKind = KindsBy<'asked'>;
export type ServiceCheckValue = CheckOf<ServiceKind>;

/** Whether it can be compiled: the others ask somebody, or count. */
export function isTextCheck(check: Check): check is TextCheck {
  return kindTraits[check.kind].by === 'text';
}

export function isServiceCheck(check: Check): check is ServiceCheckValue {
  return kindTraits[check.kind].by === 'asked';
}

/** Phrases, whatever their letter case, width, accents, invisible characters and look-alike letters. */
export interface WordsCheck {
  readonly kind: 'words';
  readonly phrases: readonly string[];
  readonly withinWords: boolean;
}

/** Regular expressions of RE2, held against the text as it is. */
export interface PatternCheck {
  readonly kind: 'pattern';
  readonly patterns: readonly string[];
}

export interface PersonalDataCheck {
  readonly kind: 'personal_data';
  /** None empty. */
  readonly types: readonly PersonalDataType[];
  /** ISO 3166-1 alpha-2; at least one; phone numbers of all of them need no country code. */
  readonly countries: readonly string[];
  /** Placeholders in the answer become again what they stand for. */
  readonly restore: boolean;
}

export interface SecretsCheck {
  readonly kind: 'secrets';
  /** Besides those that are shipped. */
  readonly forms?: readonly SecretForm[];
}

export interface SecretForm {
  /** As placeholders say it. */
  readonly label: string;
  /** As kinds/secrets/form.ts reads it: "acme_{alnum:32}". */
  readonly form: string;
}

/** Undefined: not limited. */
export interface PromptSizeCheck {
  readonly kind: 'prompt_size';
  readonly tokensMax: number | undefined;
  readonly messagesMax: number | undefined;
  readonly imagesMax: number | undefined;
}

export interface WebhookCheck {
  readonly kind: 'webhook';
  readonly url: string;
  readonly timeoutMs: number;
  /** As common/webhook-signature.ts makes it. */
  readonly secret: Secret;
}

export interface ModerationCheck {
  readonly kind: 'moderation';
  readonly model: string;
  /** Empty: all. */
  readonly categories: readonly string[];
  /** Undefined: where the vendor flags it. */
  readonly scoreMin: number | undefined;
}

/** What a service is asked with; none of it is the empty text. */
export interface ServiceCredential {
  readonly apiKey?: Secret | undefined;
  readonly accessKeyId?: Secret | undefined;
  readonly secretAccessKey?: Secret | undefined;
  readonly sessionToken?: Secret | undefined;
  /** JSON of a key file. */
  readonly serviceAccount?: Secret | undefined;
}

/** A vendor's service, by its adapter: services/index.ts. */
export interface ServiceCheck {
  readonly kind: 'service';
  readonly adapter: string;
  /** Without trailing slash. */
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
  /** Only these count; empty: all. */
  readonly labels: readonly string[];
  /** Undefined: as the service judges. */
  readonly scoreMin: number | undefined;
  readonly timeoutMs: number;
  /** Undefined: it has none of its own. */
  readonly credential: ServiceCredential | undefined;
}

/** A classifier model of the gateway's own providers, by its form: models/index.ts. */
export interface ModelCheck {
  readonly kind: 'model';
  /** `<provider>/<model>` */
  readonly model: string;
  readonly form: string;
  readonly criterion: string;
  readonly topics: readonly string[];
  /** Empty: all. */
  readonly categories: readonly string[];
  /** Undefined: the form's. */
  readonly scoreMin: number | undefined;
  readonly timeoutMs: number;
}

/** Of a newer control plane: a check that always fails. */
export interface UnknownCheck {
  readonly kind: 'unknown';
}

/** What stands in place of what was found, as typed and numbered by distinct values: "[EMAIL_1]". */
export function placeholder(label: string, number: number): string {
  return `[${label}_${number}]`;
}

/** What a caller is told who is blocked: always by which guardrail, never what it has found. */
export function blockedMessage({ name, message }: Pick<Guardrail, 'name' | 'message'>): string {
  return message === '' ? `blocked by the guardrail ${name}` : `${message} (guardrail ${name})`;
}
