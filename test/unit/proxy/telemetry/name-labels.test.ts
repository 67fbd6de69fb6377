import { describe, expect, it } from 'vitest';
import { createNameLabels } from '../../../../proxy/telemetry/name-labels.ts';

const named = (provider: string | undefined, catalogName: string | undefined) => ({
  provider,
  catalogName,
});

describe('metric labels of names', () => {
  it('are the names of shipped providers and of known models', () => {
    const labels = createNameLabels();
    const known = named('gpt-provider', 'gpt-4o-mini');
    expect([labels.provider(known), labels.model(known)]).toEqual(['gpt-provider', 'gpt-4o-mini']);
    expect(labels.model(named('gpt-provider', undefined))).toBe('other');
    expect(labels.provider(named(undefined, undefined))).toBeUndefined();
  });

  it('are the names that organizations configure, up to a maximum number', () => {
    const labels = createNameLabels();
    const custom = Array.from({ length: 1000 }, (_, i) => named(`provider-${i}`, `model-${i}`));
    const providers = new Set(custom.map((one) => labels.provider(one)));
    const models = new Set(custom.map((one) => labels.model(one)));
    expect([providers.size, models.size]).toEqual([201, 501]);
    expect([labels.provider(named('provider-999', 'm')), labels.model(named('provider-999', 'm'))]).toEqual([
      'other',
      'other',
    ]);
    expect(labels.provider(named('provider-0', 'm'))).toBe('provider-0');
    expect(labels.model(named('provider-0', 'model-0'))).toBe('model-0');
  });

  it('stay correct for shipped providers when the maximum is reached', () => {
    const labels = createNameLabels();
    for (let i = 0; i < 1000; i++) {
      labels.provider(named(`provider-${i}`, 'm'));
      labels.model(named(`provider-${i}`, `model-${i}`));
    }
    const known = named('gpt-provider', 'gpt-4o-mini');
    expect([labels.provider(known), labels.model(known)]).toEqual(['gpt-provider', 'gpt-4o-mini']);
  });
});
