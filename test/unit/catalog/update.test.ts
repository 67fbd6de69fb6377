// How newer figures change a catalog: every difference is reported, an implausible one raises an alarm, and figures
// that were decided by hand stay.
import { describe, expect, it } from 'vitest';
import type { CatalogModel, ModelPrices } from '../../../catalog/model.ts';
import { type CatalogContent, parseCatalog } from '../../../catalog/parse.ts';
import { type Change, updateCatalog } from '../../../catalog/update.ts';
import { catalogText } from '../../../catalog/write.ts';

const [before, after] = ['2026-08-01', '2026-11-22'] as const;
const prices = (input: string, more: Partial<ModelPrices> = {}): ModelPrices => ({
  ...{ input, output: '10', asOf: after, source: 'list' },
  ...more,
});
const model = (name: string, more: Partial<CatalogModel> = {}): CatalogModel => ({
  ...{ provider: 'gpt-provider', name, chat: true, created: Date.parse(before) / 1000 },
  ...{ limits: {}, capabilities: [], prices: prices('2', { asOf: before, source: 'old' }) },
  ...more,
});
const catalog = (...models: CatalogModel[]): CatalogContent => ({
  asOf: before,
  sources: { old: 'x' },
  models,
});

function updated(
  current: CatalogContent,
  offered: readonly CatalogModel[],
  { isWhole = false, replaces = (source?: string) => source === 'old' } = {},
) {
  const figures = { asOf: after, sources: { list: 'y' }, models: offered, isWhole };
  return updateCatalog(current, figures, replaces);
}

const reported = ({ what, before: from, after: to, alarm }: Change) => [what, from, to, alarm !== undefined];

describe('newer figures', () => {
  it('are stored with their day and source, and every difference is reported', () => {
    const offered = model('a', { prices: prices('3', { cacheRead: '1' }), limits: { maxInputTokens: 5 } });
    const { content, changes } = updated(catalog(model('a')), [offered]);
    expect(changes.map(reported)).toEqual([
      ['prices.input', '2', '3', false],
      ['limits.maxInputTokens', undefined, '5', false],
      ['prices.cacheRead', undefined, '1', false],
    ]);
    expect(content).toMatchObject({ asOf: after, sources: { list: 'y' } });
    expect(content.models[0]?.prices).toEqual(offered.prices);
  });

  it('without a difference report no change, and update the day of the price', () => {
    const { content, changes } = updated(catalog(model('a')), [model('a', { prices: prices('2') })]);
    expect(changes).toEqual([]);
    expect(content.models[0]?.prices?.asOf).toBe(after);
  });

  it.each<[string, ModelPrices | undefined, boolean]>([
    ['a price that moves fivefold', prices('10'), false],
    ['one that moves further', prices('10.1'), true],
    ['one that falls to a fifth', prices('0.4'), false],
    ['one that falls further', prices('0.39'), true],
    ['one that falls to nothing', prices('0'), true],
    ['a price that is lost', undefined, true],
  ])('decide whether to alarm: %s', (_what, offered, alarms) => {
    const row = { ...model('a'), prices: offered };
    const { changes } = updated(catalog(model('a')), [
      row.prices === undefined ? { ...row, prices: undefined as never } : (row as CatalogModel),
    ]);
    expect(changes.some(({ alarm }) => alarm !== undefined)).toBe(alarms);
  });

  it('alarm when a kind of price would be lost, or a model would no longer serve chat', () => {
    const rich = prices('2', {
      ...{ source: 'old', audioInput: '30', tiers: [{ abovePromptTokens: 9, input: '4', output: '15' }] },
      ...{ serviceTiers: { priority: { input: '4', output: '20' } }, calls: { search: '0.01' } },
      surcharges: { us: '1.1' },
    });
    const { changes } = updated(catalog(model('a', { prices: rich })), [model('a', { prices: prices('2') })]);
    expect(changes.map(({ what }) => what)).toEqual([
      ...['prices.audioInput', 'prices.above9.input', 'prices.above9.output'],
      ...['prices.serviceTiers.priority.input', 'prices.serviceTiers.priority.output'],
      ...['prices.surcharges.us', 'prices.calls.search'],
    ]);
    expect(changes.every(({ alarm }) => alarm !== undefined)).toBe(true);
    const refused = updated(catalog(model('a')), [model('a', { chat: false })]);
    expect(refused.changes.map(reported)).toEqual([['chat', 'true', 'false', true]]);
  });

  it('keep values that a list does not state: limits, capabilities, regions, a price of a future day', () => {
    const next = { from: '2026-12-01', ...prices('4') };
    const current = model('a', {
      ...{ limits: { maxInputTokens: 5, maxOutputTokens: 6 }, capabilities: ['vision'] },
      ...{ prices: prices('2', { source: 'old', next }), regions: { eu: prices('2.2', { source: 'old' }) } },
    });
    const offered = model('a', {
      ...{ limits: { maxInputTokens: 7 }, capabilities: ['tools'], prices: prices('2') },
      regions: { us: prices('2.1'), global: prices('2') },
    });
    const [row] = updated(catalog(current), [offered]).content.models;
    expect(row).toMatchObject({
      ...{ limits: { maxInputTokens: 7, maxOutputTokens: 6 }, capabilities: ['tools', 'vision'] },
      prices: { next },
    });
    // A region with the same prices as the model itself is left out.
    expect(Object.keys(row?.regions ?? {}).sort()).toEqual(['eu', 'us']);
    const past = model('a', { prices: prices('2', { source: 'old', next: { ...next, from: after } }) });
    expect(updated(catalog(past), [offered]).content.models[0]?.prices?.next).toBeUndefined();
  });

  it('match a model by any of its names, because lists drop the undated name first', () => {
    const names = ['gpt-4o-audio-preview', 'gpt-4o-audio-preview-2025-06-03'] as const;
    const current = catalog(model(names[0]), model('gone'));
    const { content, missing } = updated(current, [model(names[1], { prices: prices('3') })]);
    expect(content.models.map(({ name, prices: one }) => [name, one?.input])).toEqual([
      ...[
        [names[0], '3'],
        ['gone', '2'],
        [names[1], '3'],
      ],
    ]);
    expect(missing).toEqual(['gpt-provider/gone']);
  });

  it('keep the sources of prices of future days', () => {
    const next = { from: '2027-01-01', ...prices('4', { source: 'reported' }) };
    const current = {
      ...catalog(model('a', { prices: prices('2', { next }) })),
      sources: { reported: 'z', unused: '-' },
    };
    expect(updated(current, []).content.sources).toEqual({ reported: 'z', list: 'y' });
  });

  it('keep decisions by hand: prices from other sources, and models marked as not for chat', () => {
    const decided = model('a', { prices: prices('2', { source: 'corrected' }) });
    const known = model('b', { chat: false });
    const { content, changes, kept } = updated(catalog(decided, known), [
      model('a', { prices: prices('3') }),
      model('b'),
    ]);
    expect([changes, kept]).toEqual([[], ['gpt-provider/a', 'gpt-provider/b']]);
    expect(content.models.map(({ chat, prices: own }) => [chat, own?.input])).toEqual([
      [true, '2'],
      [false, '2'],
    ]);
  });

  it('add new models, and keep models that a list does not have', () => {
    const { content, changes, missing } = updated(catalog(model('a')), [model('b')]);
    expect(changes.map(reported)).toEqual([['added', undefined, '2 / 10', false]]);
    expect(missing).toEqual(['gpt-provider/a']);
    expect(content.models.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('that are a whole catalog replace it: a model missing there loses its price, which raises an alarm', () => {
    const { content, changes } = updated(catalog(model('a'), model('b')), [model('b')], { isWhole: true });
    expect(changes.map(reported)).toEqual([['removed', '2 / 10', undefined, true]]);
    expect(content.models.map(({ name }) => name)).toEqual(['b']);
  });

  it('write a catalog that reads back the same', () => {
    const { content } = updated(catalog(model('b')), [model('a', { prices: prices('3') }), model('b')]);
    const read = parseCatalog(JSON.parse(catalogText(content)), 'models.json');
    expect(catalogText(read)).toBe(catalogText(content));
    expect(read.models.map(({ name, created }) => [name, created])).toEqual([
      ['a', Date.parse(before) / 1000],
      ['b', Date.parse(after) / 1000],
    ]);
  });
});
