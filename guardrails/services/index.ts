// The vendors' services that guardrails can call. To add one: a file beside this and a line here, with a fixture in
// test/support/guardrails/service-fixtures.ts and a line in docs/guardrails.md (a test names the missing one).
import type { ServiceAdapter } from './adapter.ts';
import { azureContentSafety } from './azure-content-safety.ts';
import { bedrock } from './bedrock.ts';
import { lakera } from './lakera.ts';
import { mistralModeration } from './mistral-moderation.ts';
import { modelArmor } from './model-armor.ts';
import { presidio } from './presidio.ts';

export const serviceAdapters: Readonly<Record<string, ServiceAdapter>> = {
  presidio,
  bedrock,
  azure_content_safety: azureContentSafety,
  model_armor: modelArmor,
  lakera,
  mistral_moderation: mistralModeration,
};

/** Undefined: this version has no such adapter. */
export function serviceAdapter(name: string): ServiceAdapter | undefined {
  return Object.hasOwn(serviceAdapters, name) ? serviceAdapters[name] : undefined;
}

/** The URL that is called, without a trailing slash. @param url the guardrail's own; empty: the vendor's */
export function serviceUrl(
  { url: vendors }: ServiceAdapter,
  url: string,
  options: Readonly<Record<string, string>>,
): string | undefined {
  const chosen = url === '' ? vendors?.replaceAll(/\{(\w+)\}/g, (_, name: string) => options[name] ?? '') : url;
  return chosen?.replace(/\/+$/, '');
}
