// The health of models and providers as proxies report it, in words.
import type { ModelHealth, ProviderHealth, TargetFailure } from '../../../generated/contract.ts';
import { ago, count, nothing } from '../../ui/format.ts';
import { Badge } from '../../ui/notes.tsx';

type Counts = Pick<ModelHealth, 'ejected' | 'limited' | 'healthy'>;

export function HealthBadge({ health }: { readonly health: ModelHealth | undefined }) {
  if (health === undefined) return <>{nothing}</>;
  const { ejected, limited, healthy, proxies } = health;
  const of = (some: number) => `${count(some)} of ${count(proxies)}`;
  if (ejected > 0) return <Badge tone="bad">ejected by {of(ejected)}</Badge>;
  if (limited > 0) return <Badge tone="warn">limited at {of(limited)}</Badge>;
  return <Badge tone="good">healthy at {of(healthy)}</Badge>;
}

/** Such as "ejected by 2, healthy at 3 of 5 proxies, since 3 minutes ago". */
export function healthText({ proxies, ejected, limited, healthy, since }: ModelHealth): string {
  const parts = [
    ejected > 0 ? `ejected by ${count(ejected)}` : '',
    limited > 0 ? `limited at ${count(limited)}` : '',
    healthy > 0 ? `healthy at ${count(healthy)}` : '',
  ].filter((part) => part !== '');
  return `${parts.join(', ')} of ${count(proxies)} ${proxies === 1 ? 'proxy' : 'proxies'}, since ${ago(since)}`;
}

export function isOut({ ejected, limited }: Counts): boolean {
  return ejected + limited > 0;
}

export function providerName({ provider }: Pick<ProviderHealth, 'provider'>): string {
  return provider === '' ? 'custom providers of organizations' : provider;
}

const failures: Readonly<Record<TargetFailure, string>> = {
  TARGET_FAILURE_UNSPECIFIED: nothing,
  TARGET_FAILURE_CONNECTION: 'no connection',
  TARGET_FAILURE_TIMEOUT: 'no response in time',
  TARGET_FAILURE_SERVER_ERROR: 'errors of the vendor (5xx)',
  TARGET_FAILURE_KEY_REFUSED: 'provider key refused',
  TARGET_FAILURE_MODEL_REFUSED: 'provider key refused for the model',
  TARGET_FAILURE_QUOTA: 'nothing left to spend',
  TARGET_FAILURE_RATE_LIMIT: 'rate limit',
};

export function failureText(failure: TargetFailure): string {
  return failures[failure];
}
