// What tests of clients in other formats share: the vendors behind one gateway during a file, and guardrails that
// search for one word.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { VendorName } from '../../../common/vendors.ts';
import { type GuardrailFixture, guardrailFields, openGuardrailFixture } from '../../support/guardrails/fixture.ts';
import { plainModels } from '../../support/vendors.ts';
import { type Scene, startScene } from '../providers/scene.ts';

export interface ClientScene {
  /** Only in tests and hooks. */
  readonly scene: Scene;
  /** The body that the vendor received last. */
  sent(): string;
}

/** Opens the scene before the tests of a file, with no requests and scripts before each of them. */
export function useScene(): ClientScene {
  let scene: Scene | undefined;
  const opened = () => {
    if (scene === undefined) throw new Error('the scene is not open');
    return scene;
  };
  beforeAll(async () => {
    scene = await startScene();
  });
  beforeEach(() => opened().gateway.simulator.reset());
  afterAll(() => scene?.close());
  return {
    get scene() {
      return opened();
    },
    sent: () => opened().received().body.toString(),
  };
}

const models: Record<VendorName, string> = { ...plainModels, 'gpt-provider': 'gpt-4.1-mini' };

export function modelAt(vendor: VendorName, model = models[vendor]): string {
  return `${vendor}/${model}`;
}

/**
 * A key of an organization that stores no key of one vendor: there, a name without a provider that nobody lists is no
 * new model of that vendor.
 * @param globs what the key may call
 */
export async function keyWithout(vendor: VendorName, globs: readonly string[], { scene }: ClientScene) {
  const { api, id, createKey, storeProviderKeys } = await scene.gateway.createOrganization(`without ${vendor}`);
  await storeProviderKeys();
  const { providerKeys } = (await api.call('ProviderKeys/List', { organizationId: id })) as {
    providerKeys: { id: string; provider: string }[];
  };
  for (const key of providerKeys) if (key.provider === vendor) await api.call('ProviderKeys/Delete', { id: key.id });
  return (await createKey({ allowedModels: { globs } })).value;
}

/** The word that guardrails search for. It looks like base64. */
export const secret = 'swordfish-42';

type SetGuardrail = (stage: string, action: string, check?: object) => Promise<void>;

/** @returns a function that makes the organization's only guardrail search for the secret */
export function useGuardrail(clients: ClientScene): SetGuardrail {
  let guardrails: GuardrailFixture | undefined;
  beforeAll(() => {
    const { gateway, key } = clients.scene;
    guardrails = openGuardrailFixture(gateway, gateway.organization, key);
  });
  afterAll(() => guardrails?.clear());
  return async (stage, action, check = {}) => {
    await guardrails?.replace(guardrailFields([stage, action], { words: { phrases: [secret] }, ...check }));
    clients.scene.gateway.simulator.reset();
  };
}
