// Health on a clock that a test advances, with its events as short texts.
import { Health, type HealthOptions, type TargetIdentity } from '../../../../proxy/routing/health.ts';

export interface NamedTarget {
  readonly name: string;
  readonly identity: TargetIdentity;
}

/** @param name also the name of its host */
export function target(name: string, changes: Partial<TargetIdentity> = {}): NamedTarget {
  return {
    name,
    identity: {
      organization: 'org',
      origin: `https://${name}.example`,
      model: 'gpt-provider/gpt-4o-mini',
      providerKey: { id: `key-${name}`, revision: '1' },
      ...changes,
    },
  };
}

/** The same target as another organization has it. */
export function of(organization: string, { name, identity }: NamedTarget): NamedTarget {
  return {
    name,
    identity: { ...identity, organization, providerKey: { id: `${organization}-${name}`, revision: '1' } },
  };
}

export function health(options: Partial<HealthOptions> = {}) {
  let now = 1_000_000;
  const events: string[] = [];
  const made = new Health({
    clock: { monotonic: () => now },
    random: () => 0,
    onEjected: ({ origin, organization = 'all', cause, forMs }) =>
      events.push(`${new URL(origin).hostname.split('.')[0]} ejected for ${organization}: ${cause}, ${forMs} ms`),
    onReadmitted: ({ origin, organization = 'all' }) =>
      events.push(`${new URL(origin).hostname.split('.')[0]} readmitted for ${organization}`),
    onKeyOut: ({ organization, providerKeyId, model = 'all models', cause }) =>
      events.push(`${providerKeyId} of ${organization} out: ${cause}, ${model}`),
    onKeyReadmitted: ({ providerKeyId, model = 'all models' }) => events.push(`${providerKeyId} readmitted, ${model}`),
    ...options,
  });
  return {
    made,
    events,
    pass: (ms: number) => {
      now += ms;
    },
    usable: (...targets: readonly NamedTarget[]) => made.usable(targets).map(({ name }) => name),
    fail: (times: number, { identity }: NamedTarget, cause: 'dead' | 'timeout' | 'server' = 'server') => {
      for (let index = 0; index < times; index++) made.failed(identity, cause);
    },
    succeed: (times: number, { identity }: NamedTarget) => {
      for (let index = 0; index < times; index++) made.succeeded(identity);
    },
    firstTokens: (times: number, { identity }: NamedTarget, ms: number) => {
      for (let index = 0; index < times; index++) made.firstToken(identity, ms);
    },
  };
}
