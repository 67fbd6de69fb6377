// Responses printed as text: columns, fields, and no control characters for the terminal.
import { describe, expect, it } from 'vitest';
import { enumName, enumWords, fieldWords } from '../../../gatewayctl/enum-names.ts';
import { printable, renderFields, renderTable } from '../../../gatewayctl/table.ts';
import { enumWord } from '../../../proto/json/contract.ts';

const key = {
  name: 'checkout',
  scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'i' },
  active: true,
  allowedModels: ['a/*', 'b/*'],
  metadata: { team: 'web', tier: 'gold' },
  revision: '7',
};

describe('a printed table', () => {
  it('aligns texts to the left and numbers to the right', () => {
    const rows = [
      { spentUsd: '12.5', window: 'total' },
      { spentUsd: '0', window: '2026-11-01' },
    ];
    expect(renderTable('BudgetWindow', { WINDOW: 'window', SPENT: 'spentUsd' }, rows)).toBe(
      'WINDOW      SPENT\ntotal        12.5\n2026-11-01      0\n',
    );
  });

  it('leaves out an optional column when no row has a value', () => {
    const columns = { NAME: 'name', ENDS: '?endsAt', USED: 'lastUsedAt' };
    expect(renderTable('VirtualKey', columns, [key])).toBe('NAME      USED\ncheckout  -\n');
    expect(renderTable('VirtualKey', columns, [{ ...key, endsAt: 't' }])).toBe(
      'NAME      ENDS  USED\ncheckout  t     -\n',
    );
  });

  it('shows enums in lower case, lists with commas, pairs with equals signs', () => {
    const columns = { OF: 'scope.kind', ACTIVE: 'active', MODELS: 'allowedModels', META: 'metadata' };
    expect(renderTable('VirtualKey', columns, [key]).split('\n')[1]).toBe(
      'ai-system  yes     a/*, b/*  team=web tier=gold',
    );
  });
});

describe('the models that a selector selects', () => {
  const match = { selector: 'gpt-provider/gpt-4*', matched: 9, known: 444, open: false, nearest: [] };
  const models = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `m${n}`);

  it('are printed on one line, with the first few models', () => {
    const limit = { id: 'i', match: { ...match, models } };
    expect(renderFields('Limit', limit)).toBe(
      'id     i\nmatch  gpt-provider/gpt-4* selects 9 of 444 models: m1, m2, m3, m4, m5, m6 and 3 more\n',
    );
  });

  it('are printed on one line for each selector of a list', () => {
    const none = {
      ...match,
      selector: 'studio-ai/x',
      matched: 0,
      models: [],
      open: true,
      nearest: ['a/b', 'c/d'],
    };
    const one = { ...match, matched: 1, models: ['m1'] };
    expect(renderFields('VirtualKey', { id: 'i', matches: { selectors: [one, none] } })).toBe(
      [
        'id       i',
        'matches  gpt-provider/gpt-4* selects 1 of 444 models: m1',
        'matches  studio-ai/x selects 0 of 444 models; the nearest: a/b, c/d; and names that cannot be listed',
        '',
      ].join('\n'),
    );
  });

  it('are printed without control characters', () => {
    const text = renderFields('Limit', { match: { ...match, selector: '\u001b[2J', models: [] } });
    expect(text).not.toContain('\u001b');
  });
});

describe('printed fields', () => {
  it('take one line each, and absent ones are left out', () => {
    expect(renderFields('VirtualKey', { ...key, endsAt: undefined, revokedAt: null })).toBe(
      [
        'scope kind      ai-system',
        'scope id        i',
        'name            checkout',
        'active          yes',
        'allowed models  a/*, b/*',
        'metadata        team=web tier=gold',
        'revision        7',
        '',
      ].join('\n'),
    );
  });

  it('show the status of a key instead of its switch', () => {
    const revoked = { name: 'gone', active: true, status: 'KEY_STATUS_REVOKED', revision: '7' };
    expect(renderFields('VirtualKey', revoked)).toBe('name      gone\nstatus    revoked\nrevision  7\n');
    const ofOldServer = { active: true, status: 'KEY_STATUS_UNSPECIFIED' };
    expect(renderFields('VirtualKey', ofOldServer)).toMatch(/^active +yes$/m);
  });

  it('show where a value of metadata ends', () => {
    const metadata = { team: 'blue,app=x', note: 'a b', plain: 'EMEA/1', none: '' };
    expect(renderFields('VirtualKey', { metadata })).toBe(
      'metadata  team="blue,app=x" note="a b" plain=EMEA/1 none=""\n',
    );
  });

  it('with a list of messages take one line', () => {
    const rotatedValues = [
      { hint: 'abcd', endsAt: 't1' },
      { hint: 'efgh', endsAt: 't2' },
    ];
    expect(renderFields('VirtualKey', { rotatedValues })).toBe('rotated values  abcd t1, efgh t2\n');
  });
});

describe('a text from a server', () => {
  it('moves no cursor, sets no title and ends no line', () => {
    expect(printable('a\u001b[2Jb\r\nc\u0007\u009b1m\tüé漢')).toBe('a?[2Jb??c??1m?üé漢');
    expect(renderTable('VirtualKey', { NAME: 'name' }, [{ name: 'x\u001b]0;t\u0007\n' }])).toBe('NAME\nx?]0;t??\n');
    expect(renderFields('VirtualKey', { metadata: { 'a\n': 'b\u001b' } })).toBe('metadata  a?=b?\n');
  });
});

describe('words for names of the contract', () => {
  it.each([
    ['Role', 'ROLE_PLATFORM_OPERATOR', 'platform-operator'],
    ['KeyScopeKind', 'KEY_SCOPE_KIND_AI_SYSTEM', 'ai-system'],
    ['PersonalDataType', 'PERSONAL_DATA_TYPE_NATIONAL_ID', 'national-id'],
  ])('of %s convert both ways', (type, name, word) => {
    expect(enumWord(type, name)).toBe(word);
    expect(enumName(type, word)).toBe(name);
    expect(enumWords(name)).toBe(word);
  });

  it('of fields are readable words', () => {
    expect(fieldWords('settings.access.callerProviderKeys')).toBe('settings access caller provider keys');
    expect(fieldWords('amountUsd')).toBe('amount USD');
    expect(enumWords('NO_SUCH_VALUE')).toBeUndefined();
  });
});
