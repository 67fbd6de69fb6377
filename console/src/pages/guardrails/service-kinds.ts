// Fields of checks that call something: a webhook, the moderation endpoint, a vendor's service, a classifier model.
import type { GuardrailCheck, GuardrailCheckInput } from '../../../generated/contract.ts';
import { listOf } from '../../ui/format.ts';

export const callKinds = [
  { id: 'webhook', name: 'A service of your own' },
  { id: 'moderation', name: 'Moderation endpoint' },
  { id: 'service', name: "A vendor's service" },
  { id: 'model', name: 'A classifier model' },
] as const;

export type CallKind = (typeof callKinds)[number]['id'];

export const adapters = [
  { id: 'presidio', name: 'Presidio' },
  { id: 'bedrock', name: 'Bedrock Guardrails' },
  { id: 'azure_content_safety', name: 'Azure AI Content Safety' },
  { id: 'model_armor', name: 'Google Model Armor' },
  { id: 'lakera', name: 'Lakera Guard' },
  { id: 'mistral_moderation', name: 'Mistral moderation' },
] as const;

export const forms = [
  { id: 'judge', name: 'judge: any chat model' },
  { id: 'llama_guard', name: 'llama_guard' },
  { id: 'granite_guardian', name: 'granite_guardian' },
  { id: 'prompt_guard', name: 'prompt_guard' },
] as const;

export interface CallFields {
  readonly url: string;
  readonly adapter: string;
  /** Lines of name=value. */
  readonly options: string;
  /** Labels or categories that count. */
  readonly labels: string;
  readonly scoreMin: string;
  readonly model: string;
  readonly form: string;
  readonly criterion: string;
  readonly topics: string;
  /** Empty: the kind's own. */
  readonly timeoutMs: string;
  readonly window: string;
}

export const newCall: CallFields = {
  ...{ url: '', adapter: 'presidio', options: '', labels: '', scoreMin: '', model: '', form: 'judge' },
  ...{ criterion: 'prompt_injection', topics: '', timeoutMs: '', window: '' },
};

export function callFieldsOf(check: GuardrailCheck | undefined): CallFields {
  const { webhook, moderation, service, model, window } = check ?? {};
  const { timeoutMs = 0 } = webhook ?? service ?? model ?? {};
  const scoreMin = (moderation ?? service ?? model)?.scoreMin ?? 0;
  return {
    url: webhook?.url ?? service?.url ?? '',
    adapter: service?.adapter ?? newCall.adapter,
    options: Object.entries(service?.options ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    labels: (service?.labels ?? moderation?.categories ?? model?.categories ?? []).join(', '),
    scoreMin: numberText(scoreMin),
    model: model?.model ?? moderation?.model ?? '',
    form: model?.form ?? newCall.form,
    criterion: model?.criterion ?? newCall.criterion,
    topics: (model?.topics ?? []).join('\n'),
    timeoutMs: numberText(timeoutMs),
    window: numberText(window ?? 0),
  };
}

/** 0 is the kind's own value, which an empty field means. */
function numberText(value: number): string {
  return value === 0 ? '' : String(value);
}

export function callCheckOf(kind: CallKind, fields: CallFields): GuardrailCheckInput {
  const { url, adapter, model, form, criterion } = fields;
  const timeoutMs = Number(fields.timeoutMs);
  const scoreMin = Number(fields.scoreMin);
  const labels = listOf(fields.labels);
  const window = Number(fields.window);
  const common = window === 0 ? {} : { window };
  switch (kind) {
    case 'webhook':
      return { ...common, webhook: { url, timeoutMs } };
    case 'moderation':
      return { ...common, moderation: { model, categories: labels, scoreMin } };
    case 'service':
      return { ...common, service: { adapter, url, options: optionsOf(fields.options), labels, scoreMin, timeoutMs } };
    case 'model':
      return {
        ...common,
        model: { model, form, criterion, topics: linesOf(fields.topics), categories: labels, scoreMin, timeoutMs },
      };
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function optionsOf(text: string): Record<string, string> {
  const pairs = linesOf(text).map((line) => {
    const at = line.indexOf('=');
    return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}
