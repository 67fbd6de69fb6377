// Original file: proto/gateway/v1/guardrails.proto

import type { WordsCheck as _gateway_v1_WordsCheck, WordsCheck__Output as _gateway_v1_WordsCheck__Output } from '../../gateway/v1/WordsCheck.ts';
import type { PatternCheck as _gateway_v1_PatternCheck, PatternCheck__Output as _gateway_v1_PatternCheck__Output } from '../../gateway/v1/PatternCheck.ts';
import type { PersonalDataCheck as _gateway_v1_PersonalDataCheck, PersonalDataCheck__Output as _gateway_v1_PersonalDataCheck__Output } from '../../gateway/v1/PersonalDataCheck.ts';
import type { SecretsCheck as _gateway_v1_SecretsCheck, SecretsCheck__Output as _gateway_v1_SecretsCheck__Output } from '../../gateway/v1/SecretsCheck.ts';
import type { PromptSizeCheck as _gateway_v1_PromptSizeCheck, PromptSizeCheck__Output as _gateway_v1_PromptSizeCheck__Output } from '../../gateway/v1/PromptSizeCheck.ts';
import type { WebhookCheck as _gateway_v1_WebhookCheck, WebhookCheck__Output as _gateway_v1_WebhookCheck__Output } from '../../gateway/v1/WebhookCheck.ts';
import type { ModerationCheck as _gateway_v1_ModerationCheck, ModerationCheck__Output as _gateway_v1_ModerationCheck__Output } from '../../gateway/v1/ModerationCheck.ts';
import type { GuardrailField as _gateway_v1_GuardrailField, GuardrailField__Output as _gateway_v1_GuardrailField__Output } from '../../gateway/v1/GuardrailField.ts';

export interface GuardrailCheck {
  'words'?: (_gateway_v1_WordsCheck | null);
  'pattern'?: (_gateway_v1_PatternCheck | null);
  'personalData'?: (_gateway_v1_PersonalDataCheck | null);
  'secrets'?: (_gateway_v1_SecretsCheck | null);
  'promptSize'?: (_gateway_v1_PromptSizeCheck | null);
  'webhook'?: (_gateway_v1_WebhookCheck | null);
  'moderation'?: (_gateway_v1_ModerationCheck | null);
  'also'?: (_gateway_v1_GuardrailField)[];
  'kind'?: "words"|"pattern"|"personalData"|"secrets"|"promptSize"|"webhook"|"moderation";
}

export interface GuardrailCheck__Output {
  'words'?: (_gateway_v1_WordsCheck__Output | null);
  'pattern'?: (_gateway_v1_PatternCheck__Output | null);
  'personalData'?: (_gateway_v1_PersonalDataCheck__Output | null);
  'secrets'?: (_gateway_v1_SecretsCheck__Output | null);
  'promptSize'?: (_gateway_v1_PromptSizeCheck__Output | null);
  'webhook'?: (_gateway_v1_WebhookCheck__Output | null);
  'moderation'?: (_gateway_v1_ModerationCheck__Output | null);
  'also': (_gateway_v1_GuardrailField__Output)[];
  'kind'?: "words"|"pattern"|"personalData"|"secrets"|"promptSize"|"webhook"|"moderation";
}
