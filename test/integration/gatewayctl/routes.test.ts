// Commands about routes, against a live control plane, with their effect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';

const mini = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-sonnet-4-5';

describe('routes', () => {
  let operated: Operated;
  let ctl: Gatewayctl;

  beforeAll(async () => {
    operated = await startOperated();
    ctl = operated.owner;
  });
  afterAll(() => operated.close());

  const groupsOf = async (name: string) => (await ctl.json(`routes get ${name}`)).groups;

  it('of targets that are tried in order are created, shown, listed, changed and deleted', async () => {
    await ctl.expect(
      `routes create fast --target ${mini},first-token=5s --target ${claude} --on-context true --recovery restart`,
    );
    expect(await ctl.json('routes get fast')).toMatchObject({
      ...{
        name: 'fast',
        active: true,
        settings: { onContext: true, onFilter: false, recovery: 'ROUTE_RECOVERY_RESTART' },
      },
      groups: [
        { targets: [{ model: mini, weight: 1, firstTokenMs: 5000 }] },
        { targets: [{ model: claude, weight: 1 }] },
      ],
    });
    const shown = await ctl.expect('routes get fast');
    expect(shown).toMatch(new RegExp(`^group 1 +${mini}=1,first-token=5000ms$`, 'm'));
    expect(shown).toMatch(new RegExp(`^group 2 +${claude}=1$`, 'm'));
    const listed = await ctl.expect('routes list');
    expect(listed).toMatch(/^NAME +ID +ACTIVE +TARGETS$/m);
    expect(listed).toMatch(new RegExp(`^fast +\\S+ +yes +${mini}=1,first-token=5000ms; then ${claude}=1$`, 'm'));
    await ctl.expect('routes update fast --active false --name quick');
    expect(await ctl.json('routes get quick')).toMatchObject({ active: false, settings: { onContext: true } });
    await ctl.expect(`routes update quick --target ${claude}`);
    expect(await groupsOf('quick')).toMatchObject([{ targets: [{ model: claude }] }]);
    await ctl.expect('routes delete quick --yes');
    expect((await ctl.json('routes list')).routes).toEqual([]);
  });

  it('cache responses for a time, until it is 0', async () => {
    await ctl.expect(`routes create faq --target ${mini} --cache-ttl 10m --cache-per-scope true --cache-price 20`);
    const cacheOf = async () => (await ctl.json('routes get faq')).settings.cache;
    expect(await cacheOf()).toEqual({ ttlSeconds: 600, perScope: true, pricePercent: 20 });
    await ctl.expect('routes update faq --cache-ttl 1h');
    expect(await cacheOf()).toMatchObject({ ttlSeconds: 3600, perScope: true });
    await ctl.expect('routes update faq --cache-ttl 0s');
    expect((await cacheOf()) ?? null).toBeNull();
    const half = await ctl.run('routes update faq --cache-ttl 1500ms');
    expect([half.code, half.err]).toEqual([2, expect.stringContaining('must be whole seconds')]);
    await ctl.expect('routes delete faq --yes');
  });

  it('share requests by weight, before targets that are tried alone, with provider keys by name', async () => {
    const key = await ctl.json('provider-keys create gpt-provider routed --no-test', { input: 'made-up' });
    await ctl.expect(`routes create split --target ${claude} --split ${mini}=80,key=routed --split ${claude}=20`);
    expect(await groupsOf('split')).toMatchObject([
      {
        targets: [
          { model: mini, weight: 80, providerKeyId: key.id },
          { model: claude, weight: 20 },
        ],
      },
      { targets: [{ model: claude, weight: 1 }] },
    ]);
    const missing = await ctl.run(`routes create other --target ${mini},key=nobodys`);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('no provider key "nobodys"')]);
    for (const line of ['routes delete split', 'provider-keys delete routed']) await ctl.expect(`${line} --yes`);
  });

  it('are hedged after a time or a percentile, and have a ceiling of requests in flight', async () => {
    const shown = async () => {
      const { settings, groups } = await ctl.json('routes get late');
      return [settings.hedge ?? null, groups.map((group: { inFlightMax?: number }) => group.inFlightMax ?? null)];
    };
    await ctl.expect(`routes create late --target ${mini} --target ${claude} --hedge 1500ms --in-flight 20`);
    expect(await shown()).toEqual([{ afterMs: 1500 }, [20, 20]]);
    expect(await ctl.expect('routes get late')).toMatch(
      new RegExp(`^group 1 +${mini}=1 \\(at most 20 in flight each\\)$`, 'm'),
    );
    await ctl.expect('routes update late --hedge p95');
    expect(await shown()).toEqual([{ percentile: 95 }, [20, 20]]);
    await ctl.expect(`routes update late --hedge off --target ${mini} --in-flight off`);
    expect(await shown()).toEqual([null, [null]]);
    const half = await ctl.run('routes update late --in-flight 9');
    expect([half.code, half.err]).toEqual([2, expect.stringContaining('--in-flight is for the targets')]);
    await ctl.expect('routes delete late --yes');
  });

  it('copy requests to another model', async () => {
    const key = await ctl.json('provider-keys create assistant-provider copies --no-test', { input: 'made-up' });
    await ctl.expect(`routes create copied --target ${mini} --shadow ${claude}=2.5,key=copies --on-filter true`);
    const shadow = { model: claude, providerKeyId: key.id, percent: 2.5 };
    const settings = async () => (await ctl.json('routes get copied')).settings;
    expect(await settings()).toMatchObject({ onContext: false, onFilter: true, shadow });
    expect(await ctl.expect('routes get copied')).toContain('2.5');
    await ctl.expect('routes update copied --on-filter false');
    expect(await settings()).toMatchObject({ shadow });
    await ctl.expect('routes update copied --shadow off');
    expect(await settings()).not.toHaveProperty('shadow');
    for (const typed of [claude, `${claude}=`, `${claude}=x`, `${claude}=5,key=`, `${claude}=5,whole=3s`, '=5']) {
      const { code, err } = await ctl.run(`routes update copied --shadow ${typed}`);
      expect([code, err]).toEqual([2, expect.stringContaining('--shadow must be <model=percent>')]);
    }
    await ctl.expect('limits create budget --usd 5 --period day --model shadow/copied');
    for (const line of ['routes delete copied', 'provider-keys delete copies']) await ctl.expect(`${line} --yes`);
  });

  it('choose among the targets that share requests, one of which may be a canary', async () => {
    const targets = `--split ${mini},connect=300ms --split ${claude},canary=2.5`;
    await ctl.expect(`routes create agents ${targets} --choice sticky --on-budget true --keep-reasoning true`);
    expect(await ctl.json('routes get agents')).toMatchObject({
      settings: { onBudget: true, keepReasoning: true },
      groups: [
        {
          choice: 'GROUP_CHOICE_STICKY',
          targets: [
            { model: mini, connectMs: 300 },
            { model: claude, canary: 2.5 },
          ],
        },
      ],
    });
    const text = `${mini}=1,connect=300ms + ${claude}=1,canary=2.5 (sticky)`;
    expect(await ctl.expect('routes get agents')).toContain(text);
    for (const [line, problem] of [
      [`--target ${mini} --choice sticky`, 'for the targets of --split'],
      [`--split ${mini} --choice nearest`, 'Allowed choices'],
      [`--split ${mini},canary=a`, 'with a percentage'],
    ]) {
      expect((await ctl.run(`routes create other ${line}`)).err).toContain(problem);
    }
    expect((await ctl.run(`routes create other --split ${mini},canary=5`)).err).toContain('is no canary');
    await ctl.expect('routes delete agents --yes');
  });

  it('take groups with conditions from a file', async () => {
    const groups = [
      { targets: [{ model: claude, reasoningEffort: 'high' }], conditions: { hasTools: true, tokensAbove: 1000 } },
      { targets: [{ model: mini }] },
    ];
    const file = operated.file('route.json', JSON.stringify({ groups, settings: { onFilter: true } }));
    await ctl.expect(['routes', 'create', 'smart', '--file', file]);
    expect(await ctl.json('routes get smart')).toMatchObject({
      settings: { onFilter: true },
      groups: [
        { targets: [{ reasoningEffort: 'REASONING_EFFORT_HIGH' }], conditions: { hasTools: true, tokensAbove: 1000 } },
        { targets: [{ model: mini }] },
      ],
    });
    expect(await ctl.expect('routes get smart')).toContain(`${claude}=1,effort=high if with tools, over 1000 tokens`);
    await ctl.expect(['routes', 'update', 'smart', '--file', file, '--target', mini]);
    expect(await groupsOf('smart')).toMatchObject([{ targets: [{ model: mini }] }]);
    await ctl.expect('routes delete smart --yes');
  });

  it('that replace a model are found by any name of its provider', async () => {
    await ctl.expect(`routes create openai/gpt-4o --target ${claude}`);
    expect(await ctl.json('routes get openai/gpt-4o')).toMatchObject({ name: 'gpt-provider/gpt-4o' });
    await ctl.expect('routes delete gpt-provider/gpt-4o --yes');
  });

  it('with a typing error in a model are refused with the nearest, and accepted if the operator insists', async () => {
    const line = 'routes create typo --target gpt-provider/gpt-4o-minni';
    const { code, err } = await ctl.run(line);
    expect(code).toBe(1);
    expect(err).toContain('groups[0].targets[0].model selects none of the ');
    expect(err).toContain(`the nearest are ${mini}`);
    expect(err).toContain('; set --allow-unmatched to take it all the same');
    await ctl.expect(`${line} --allow-unmatched`);
    await ctl.expect('routes delete typo --yes');
  });

  it.each([
    [`--target ${mini}=80`, '--target has no weight'],
    [`--split ${mini}=80,fast`, '--split has after its model only'],
    ['--target gpt-provider/gpt-99', 'groups[0].targets[0].model'],
    ['', 'groups must be 1 to 8 groups'],
  ])('with %j are refused', async (options, message) => {
    const { code, err } = await ctl.run(`routes create wrong ${options}`.trim());
    expect([code === 0, err]).toEqual([false, expect.stringContaining(message)]);
  });
});
