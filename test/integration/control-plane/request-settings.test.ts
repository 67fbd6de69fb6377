// Settings of an organization for what requests may have: tools of vendors, options of the Responses API, options with a
// price. What operators write is what proxies read.
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createKey,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
} from '../../support/operators.ts';

const usual = {
  ownTools: { egress: false, execution: false },
  responses: { stored: true, background: false, safetyIdentifier: false },
  pricedOptions: { allowed: true },
};

describe.each(databases)('settings for requests over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let platform: Someone;
  let proxyToken: string;

  beforeAll(async () => {
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    await plane.close();
    await remove();
  });

  async function scene() {
    const acme = await createTenant(plane, platform, freshName('tenant'));
    const { value } = await createKey(plane, acme);
    const keyHash = hash('sha256', value, 'buffer');
    return {
      acme,
      update: (settings: object) =>
        plane.expect('Organizations.UpdateSettings', acme.owner.token, { id: acme.id, settings }),
      record: async (): Promise<JsonResponse> =>
        (await plane.expect('Access.Resolve', proxyToken, { keyHash })).organization,
    };
  }

  it('begin with own tools off, and with stored responses and priced options alone on', async () => {
    const { acme, record } = await scene();
    const { settings } = await plane.expect('Organizations.Get', acme.owner.token, { id: acme.id });
    expect(settings).toMatchObject(usual);
    expect(await record()).toMatchObject(usual);
  });

  it.each([
    ['ownTools', 'egress', true],
    ['ownTools', 'execution', true],
    ['responses', 'stored', false],
    ['responses', 'background', true],
    ['responses', 'safetyIdentifier', true],
    ['pricedOptions', 'allowed', false],
  ] as const)('change %s.%s alone, and back', async (group, field, value) => {
    const { update, record } = await scene();
    const changed = { ...usual, [group]: { ...usual[group], [field]: value } };
    expect((await update({ [group]: { [field]: value } })).settings).toMatchObject(changed);
    expect(await record()).toMatchObject(changed);
    // What a change does not name stays.
    await update({ access: { callerProviderKeys: true }, ownTools: {}, responses: {}, pricedOptions: {} });
    expect(await record()).toMatchObject(changed);
    await update({ [group]: { [field]: !value } });
    expect(await record()).toMatchObject(usual);
  });
});
