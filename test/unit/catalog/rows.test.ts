// Rows of a catalog that are parsed when they are first used.
import { describe, expect, it } from 'vitest';
import { catalogOfRows, createCatalog, digestOf } from '../../../catalog/catalog.ts';
import { shippedCatalog, shippedContent } from '../../../catalog/in-force.ts';
import { parseCatalogHead } from '../../../catalog/parse.ts';
import { unreadRows } from '../../../catalog/rows.ts';

const file = 'models.json';
const rows = [
  { provider: 'gpt-provider', name: 'a', chat: true },
  { provider: 'gpt-provider', name: 'ft:a', chat: true },
  { provider: 'gpt-provider', name: 'broken', chat: true, limits: { maxInputTokens: -1 } },
];

function unread(content: readonly unknown[]) {
  const value = { asOf: '2026-11-22', unit: 'USD per million tokens', models: content };
  const { asOf, rows: unparsed, parseRow } = parseCatalogHead(value, file);
  return catalogOfRows(asOf, unreadRows(unparsed, parseRow, file), () => 'digest');
}

describe('a catalog whose rows are parsed on first use', () => {
  it('finds a row without parsing others, and parses it once', () => {
    const catalog = unread(rows);
    const found = catalog.find('gpt-provider', 'a');
    expect(found).toMatchObject({ provider: 'gpt-provider', name: 'a', chat: true, created: 1795305600 });
    expect(catalog.find('gpt-provider', 'a')).toBe(found);
    expect(catalog.find('gpt-provider', 'ft:a:organization::1')?.name).toBe('ft:a');
    expect(catalog.find('gpt-provider', 'none')).toBeUndefined();
  });

  it('has the names of all rows without parsing them, and names a row that cannot be used', () => {
    const catalog = unread(rows);
    expect(catalog.names.map(({ name }) => name)).toEqual(['a', 'ft:a', 'broken']);
    expect(() => catalog.models).toThrow('models.json, gpt-provider/broken: a limit is no whole number');
    expect(() => catalog.find('gpt-provider', 'broken')).toThrow('a limit is no whole number');
  });

  it('refuses rows without a name, and a model that is there twice', () => {
    expect(() => unread([{ provider: 'gpt-provider' }])).toThrow('models.json: a row has no name');
    expect(() => unread([rows[0], rows[0]])).toThrow('models.json: a model is there twice');
  });
});

describe('the shipped catalog', () => {
  it('is the same as one that is parsed as a whole', () => {
    const whole = createCatalog(shippedContent(), 'catalog/models.json');
    expect(shippedCatalog.models).toEqual(whole.models);
    expect(shippedCatalog.list()).toEqual(whole.list());
    for (const { provider, name } of whole.models)
      expect(shippedCatalog.find(provider, name)).toEqual(whole.find(provider, name));
  });

  it('has the digest of its content: npm run generate writes it', () => {
    expect(shippedCatalog.digest).toBe(digestOf(shippedContent()));
  });
});
