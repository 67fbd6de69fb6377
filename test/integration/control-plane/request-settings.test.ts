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
  violated,
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

  it('name the tags that requests may have, and none at first', async () => {
    const { acme, update, record } = await scene();
    const namesOf = async () => [
      (await plane.expect('Organizations.Get', acme.owner.token, { id: acme.id })).settings.tags.names.names,
      (await record()).tagNames,
    ];
    expect(await namesOf()).toEqual([[], []]);
    const names = ['feature', 'cost-center', 'user'];
    await update({ tags: { names: { names } } });
    await update({ tags: {}, access: { callerProviderKeys: true } });
    expect(await namesOf()).toEqual([names, names]);
    const [last] = (await plane.expect('Audit.List', acme.owner.token, { organizationId: acme.id, pageSize: 2 }))
      .events;
    expect(last).toMatchObject({ action: 'Organizations.UpdateSettings' });
    await update({ tags: { names: {} } });
    expect(await namesOf()).toEqual([[], []]);
  });

  it.each([
    ['more than eight', Array.from({ length: 9 }, (_, nth) => `tag-${nth}`), 'settings.tags.names.names'],
    ['one name twice', ['user', 'feature', 'user'], 'settings.tags.names.names[2]'],
    ['a name with capitals', ['Feature'], 'settings.tags.names.names[0]'],
    ['a name of 33 characters', ['feature', 'a'.repeat(33)], 'settings.tags.names.names[1]'],
    ['an empty name', [''], 'settings.tags.names.names[0]'],
    ['a name of JavaScript', ['__proto__'], 'settings.tags.names.names[0]'],
  ])('refuse %s as names of tags', async (_, names, field) => {
    const { acme } = await scene();
    const settings = { tags: { names: { names } } };
    const updating = plane.call('Organizations.UpdateSettings', acme.owner.token, { id: acme.id, settings });
    expect(await violated(updating)).toEqual([field]);
  });
});
