// The definition of a guardrail for both planes: the control plane checks and tests it, proxies apply it. Independent
// of how the definition is delivered and of what happens with its matches.
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
  /** Guardrails are applied in this order. For the same position, the lower id comes first: it is the older one. */
  readonly position: number;
  readonly stage: GuardrailStage;
  readonly action: GuardrailAction;
  /** Applies if the check itself fails. */
  readonly onFailure: FailureRule;
  /** The message for a caller whose request is blocked; if it is empty, a generic one. */
  readonly message: string;
  /** Only for keys of these AI systems; empty = all keys of the organization. */
  readonly aiSystemIds: readonly string[];
  /** Also for these virtual keys, in addition to those of the AI systems; absent: none. */
  readonly keyIds?: readonly string[];
  readonly check: Check;
  /** Fields that the model does not see but that are inspected at the input; absent: none. */
  readonly also?: readonly RequestField[];
  /** For checks that call a service, at the output: UTF-16 units per call; absent: the default. */
  readonly window?: number;
  /** A guardrail with the same id and revision is the same. */
  readonly revision: number;
}

/** The stage of one inspection; never both. */
export type Stage = Exclude<GuardrailStage, 'both'>;

export type Check =
  | PhrasesCheck
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

interface KindProperties {
  /** The maker of the check: a local matcher, an external service or model, a counter, or none. */
  readonly by: 'text' | 'service' | 'size' | 'none';
  /** Whether its matches have a location that can be replaced. */
  readonly redacts: boolean | 'by adapter';
}

/** Properties of a kind that code outside its own file needs. */
export const kindProperties = {
  words: { by: 'text', redacts: true },
  pattern: { by: 'text', redacts: true },
  personal_data: { by: 'text', redacts: true },
  secrets: { by: 'text', redacts: true },
  prompt_size: { by: 'size', redacts: false },
  webhook: { by: 'service', redacts: true },
  moderation: { by: 'service', redacts: false },
  service: { by: 'service', redacts: 'by adapter' },
  model: { by: 'service', redacts: false },
  unknown: { by: 'none', redacts: true },
} as const satisfies Record<CheckKind, KindProperties>;

type KindsBy<By extends KindProperties['by']> = {
  [Kind in CheckKind]: (typeof kindProperties)[Kind]['by'] extends By ? Kind : never;
}[CheckKind];

export type TextKind = KindsBy<'text'>;
export type TextCheck = CheckOf<TextKind>;
export type ServiceKind = KindsBy<'service'>;
export type ServiceCheckValue = CheckOf<ServiceKind>;

/** Whether the check can be compiled. The other kinds call a service or count. */
export function isTextCheck(check: Check): check is TextCheck {
  return kindProperties[check.kind].by === 'text';
}

export function isServiceCheck(check: Check): check is ServiceCheckValue {
  return kindProperties[check.kind].by === 'service';
}

/** Phrases. Differences in letter case, width, accents, invisible characters and look-alike letters are ignored. */
export interface PhrasesCheck {
  readonly kind: 'words';
  readonly phrases: readonly string[];
  readonly withinWords: boolean;
}

/** RE2 regular expressions, matched against the unchanged text. */
export interface PatternCheck {
  readonly kind: 'pattern';
  readonly patterns: readonly string[];
}

export interface PersonalDataCheck {
  readonly kind: 'personal_data';
  /** Never empty. */
  readonly types: readonly PersonalDataType[];
  /** ISO 3166-1 alpha-2, at least one. Phone numbers of all these countries are found without a country code. */
  readonly countries: readonly string[];
  /** Whether placeholders in the response are replaced by the original values. */
  readonly restore: boolean;
}

export interface SecretsCheck {
  readonly kind: 'secrets';
  /** In addition to the built-in ones. */
  readonly forms?: readonly SecretForm[];
}

export interface SecretForm {
  /** As used in placeholders. */
  readonly label: string;
  /** In the syntax of kinds/secrets/form.ts: "acme_{alnum:32}". */
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
  /** In the form of common/webhook-signature.ts. */
  readonly secret: Secret;
}

export interface ModerationCheck {
  readonly kind: 'moderation';
  readonly model: string;
  /** Empty: all. */
  readonly categories: readonly string[];
  /** Undefined: the vendor's own flag decides. */
  readonly scoreMin: number | undefined;
}

/** The credential for a service; no field is an empty text. */
export interface ServiceCredential {
  readonly apiKey?: Secret | undefined;
  readonly accessKeyId?: Secret | undefined;
  readonly secretAccessKey?: Secret | undefined;
  readonly sessionToken?: Secret | undefined;
  /** The JSON of a key file. */
  readonly serviceAccount?: Secret | undefined;
}

/** A vendor's service, called through its adapter (services/index.ts). */
export interface ServiceCheck {
  readonly kind: 'service';
  readonly adapter: string;
  /** Without a trailing slash. */
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
  /** Only these labels count; empty: all. */
  readonly labels: readonly string[];
  /** Undefined: the service decides. */
  readonly scoreMin: number | undefined;
  readonly timeoutMs: number;
  /** Undefined: the guardrail has no credential of its own. */
  readonly credential: ServiceCredential | undefined;
}

/** A classifier model, called through the gateway's own providers, in its form (models/index.ts). */
export interface ModelCheck {
  readonly kind: 'model';
  /** `<provider>/<model>` */
  readonly model: string;
  readonly form: string;
  readonly criterion: string;
  readonly topics: readonly string[];
  /** Empty: all. */
  readonly categories: readonly string[];
  /** Undefined: the default of the form. */
  readonly scoreMin: number | undefined;
  readonly timeoutMs: number;
}

/** A check from a newer control plane. It always fails. */
export interface UnknownCheck {
  readonly kind: 'unknown';
}

/** The replacement of a match: its type, and a number for each distinct value: "[EMAIL_1]". */
export function placeholder(label: string, number: number): string {
  return `[${label}_${number}]`;
}

/** The message for a blocked caller. It always names the guardrail, and never the match. */
export function blockedMessage({ name, message }: Pick<Guardrail, 'name' | 'message'>): string {
  return message === '' ? `blocked by the guardrail ${name}` : `${message} (guardrail ${name})`;
}
