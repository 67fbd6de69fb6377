import { describe, expect, it } from 'vitest';
import type { CustomProvider, OrganizationRecord } from '../../../../proxy/access/principal.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { providersByName } from '../../../../proxy/providers/index.ts';
import { BaseUrls } from '../../../../proxy/upstream/base-urls.ts';
import { CustomProviders } from '../../../../proxy/upstream/custom-providers.ts';
import { Targets } from '../../../../proxy/upstream/targets.ts';
import { usualSettings } from '../../../support/usual-settings.ts';

const capabilities = new CapabilityTable([{ models: 'gpt-provider/*', capabilities: { prefill: false } }]);
const customProviders = new CustomProviders(providersByName, capabilities);

function organization(...configured: CustomProvider[]): OrganizationRecord {
  return {
    ...{
      id: 'organization-1',
      active: true,
      ...usualSettings,
      allowedModels: [],
      limits: [],
    },
    ...{ providerKeys: [], customProviders: configured, prices: [], guardrails: [], revision: 1 },
  };
}

const llama = {
  ...{ provider: 'in-cluster', name: 'llama', chat: true, created: 1, capabilities: [] },
  limits: { maxOutputTokens: 4096 },
};
const inCluster: CustomProvider = {
  ...{ id: 'provider-1', name: 'in-cluster', wireFormat: 'gpt-provider', keyForm: 'none' },
  baseUrl: 'http://models.internal:8000/v1',
  models: [{ catalogModel: llama, capabilities: { forcedTools: false } }],
};

describe('custom providers', () => {
  it('are created once for each configuration, and shared', () => {
    const made = customProviders.of(organization(inCluster)).get('in-cluster');
    expect(made?.provider.name).toBe('in-cluster');
    expect(customProviders.of(organization(inCluster)).get('in-cluster')).toBe(made);
    expect(customProviders.of(organization({ ...inCluster })).get('in-cluster')).not.toBe(made);
  });

  it('have the listed models, with capabilities that may differ from the wire format’s', () => {
    const made = customProviders.of(organization(inCluster)).get('in-cluster');
    expect(made?.models.get('llama')).toBe(llama);
    expect(made?.models.get('gpt-4o')).toBeUndefined();
    expect(made?.capabilitiesOf('llama')).toMatchObject({ forcedTools: false, prefill: false });
    expect(made?.capabilitiesOf('gpt-4o')).toMatchObject({ forcedTools: true, prefill: false });
  });

  it('are omitted when their wire format is unknown', () => {
    expect(customProviders.of(organization({ ...inCluster, wireFormat: 'of-a-newer-version' })).size).toBe(0);
  });
});

describe('the target of a server without keys', () => {
  const targets = new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] }));
  const made = (configured: CustomProvider) => {
    const record = organization(configured);
    const provider = customProviders.of(record).get(configured.name)?.provider;
    if (provider === undefined) throw new Error('it was not made');
    return { record, provider };
  };

  it('exists without a stored key, has no credential, and has the id of its configuration', () => {
    const { record, provider } = made(inCluster);
    expect(targets.stored(record, provider)).toMatchObject([
      {
        baseUrl: { origin: 'http://models.internal:8000', path: '/v1' },
        credential: { apiKey: undefined, accessKeyId: undefined },
        providerKeyId: 'provider-1',
      },
    ]);
  });

  it('does not exist for a provider that takes keys', () => {
    const { record, provider } = made({ ...inCluster, keyForm: 'bearer' });
    expect(targets.stored(record, provider)).toEqual([]);
  });
});
