// What a guardrail is, as both planes know it: the control plane checks and tests it, proxies apply it. Says nothing of how it
// came here or what is done with its findings.
import type { Secret } from '../common/secret.ts';

/** Of a request: names somebody or something to the vendor. */
export type RequestField = 'user' | 'metadata' | 'safety_identifier' | 'prompt_cache_key';

export interface Guardrail {
  readonly id: string;
  /** Shown to callers. */
  readonly name: string;
  /** Guardrails are applied in this order, and of those with the same one the lesser id first: it is the older. */
  readonly position: number;
  readonly stage: 'input' | 'output' | 'both';
  readonly action: 'block' | 'redact' | 'observe';
  /** Where the check itself fails. */
  readonly onFailure: 'block' | 'pass';
  /** What a caller is told whose request it blocks; empty: that the guardrail has blocked it. */
  readonly message: string;
  /** Only for keys of these; empty = all of the organization. */
  readonly aiSystemIds: readonly string[];
  readonly check: Check;
  /** Fields that the model does not see, inspected at the input as well; absent: none. */
  readonly also?: readonly RequestField[];
  /** A guardrail with the same id and revision is the same. */
  readonly revision: number;
}

/** What is inspected in one go: never both. */
export type Stage = 'input' | 'output';

export type Check =
  | WordsCheck
  | PatternCheck
  | PersonalDataCheck
  | SecretsCheck
  | PromptSizeCheck
  | WebhookCheck
  | ModerationCheck
  | UnknownCheck;

export type CheckKind = Check['kind'];

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

export type PersonalDataType = 'email' | 'phone' | 'payment_card' | 'iban' | 'national_id' | 'ip_address';

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

/** Of a newer control plane: a check that always fails. */
export interface UnknownCheck {
  readonly kind: 'unknown';
}

/**
 * What one guardrail made of one request or answer. failed_…: its check failed, and its rule decided. unavailable: the gateway lacked
 * what it needs to inspect it, which is neither a pass nor a find, and no rule's matter.
 */
export type Decision =
  | 'pass'
  | 'block'
  | 'redact'
  | 'observe'
  | 'failed_pass'
  | 'failed_block'
  | 'unavailable';

/** What stands in place of what was found, as typed and numbered by distinct values: "[EMAIL_1]". */
export function placeholder(label: string, number: number): string {
  return `[${label}_${number}]`;
}

/** What a caller is told who is blocked: always by which guardrail, never what it has found. */
export function blockedMessage({ name, message }: Pick<Guardrail, 'name' | 'message'>): string {
  return message === '' ? `blocked by the guardrail ${name}` : `${message} (guardrail ${name})`;
}
