// Webhooks: which URLs they may have, and their secret in the database. Like the secrets of provider keys it is sealed
// and bound to organization, webhook, field and version.
import { type AddressRule, addressRule, familyOf, isMetadataHost } from '../../common/addresses.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import { isPrivateHost } from './base-url.ts';
import { type Field, invalid, valid } from './field.ts';

const urlLengthMax = 2048;

/** The addresses that webhooks may reach. */
export interface WebhookAddresses {
  /** @param address an IP address without brackets */
  allows(address: string): boolean;
  /** Whether host names may lead to private addresses. */
  readonly takesPrivateNames: boolean;
}

/**
 * @param rule with `allow` as GATEWAY_WEBHOOK_ADDRESSES lists it
 * @throws Error if an entry is no CIDR block
 */
export function webhookAddresses(rule: Required<AddressRule>): WebhookAddresses {
  return { allows: addressRule(rule), takesPrivateNames: rule.allow.length > 0 };
}

/** The worker checks again after DNS; the check here shows an operator at once which URLs can never work. */
export function webhookUrl({ allows, takesPrivateNames }: WebhookAddresses): (text: string) => Field<string> {
  return (text) => {
    const url = guardrailUrl(text);
    if (!('value' in url)) return url;
    const host = hostOf(url.value);
    // A name without a dot never resolves, because search domains are not used.
    const isName = familyOf(host) === undefined;
    const mayWork = isName ? !isPrivateHost(host) || (takesPrivateNames && host.includes('.')) : allows(host);
    return mayWork
      ? url
      : invalid(
          'must be a public host, or one whose address GATEWAY_WEBHOOK_ADDRESSES lists, by its whole name; GATEWAY_PRIVATE_UPSTREAMS does not apply to webhooks',
        );
  };
}

/**
 * Reads the URL of a service that proxies call. It may be in the proxies' cluster if their GATEWAY_GUARDRAIL_ADDRESSES
 * allows it.
 */
export function guardrailUrl(text: string): Field<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.href.length > urlLengthMax || hasExtras(url, text)) {
    return invalid(
      `must be a URL such as https://host/path of at most ${urlLengthMax} characters, without credentials and fragment`,
    );
  }
  if (isMetadataHost(hostOf(url.href))) return invalid('must not be a host of instance metadata');
  return valid(url.href);
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function hasExtras(url: URL, text: string): boolean {
  return url.username !== '' || url.password !== '' || /[#\s\\]/.test(text);
}

/** The row that a sealed secret belongs to. */
export interface WebhookSecretBinding {
  readonly organizationId: string;
  readonly webhookId: string;
  /** Column `secret_version`. */
  readonly version: number;
}

/** @returns base64, for column `secret` */
export function sealWebhookSecret(keys: SealKeys, binding: WebhookSecretBinding, secret: string): string {
  return seal(keys, context(binding), Buffer.from(secret)).toString('base64');
}

/** Undefined if no key opens it for this row. */
export function unsealWebhookSecret(keys: SealKeys, binding: WebhookSecretBinding, sealed: string): string | undefined {
  return unseal(keys, context(binding), Buffer.from(sealed, 'base64'))?.toString();
}

function context({ organizationId, webhookId, version }: WebhookSecretBinding): SealContext {
  return {
    derive: ['webhook-secret', organizationId],
    associated: [organizationId, webhookId, 'secret', String(version)],
  };
}
