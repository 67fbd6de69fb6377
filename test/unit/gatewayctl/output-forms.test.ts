// The forms of output for programs, and the word of -o.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { columnsOf, structuredText } from '../../../gatewayctl/output.ts';
import { readOutput } from '../../../gatewayctl/output-form.ts';

const keys = {
  virtualKeys: [
    { name: 'checkout', scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'i' }, active: true, metadata: { team: 'a,b' } },
    { name: '=1+1', id: 'k', allowedModels: ['a/*', 'b/*'], revision: '7' },
  ],
  nextPageToken: '',
};

describe('a result', () => {
  it('is JSON and YAML with the same content', async () => {
    const json = await structuredText(keys, 'json', {});
    expect(JSON.parse(json)).toEqual(keys);
    const yaml = await structuredText({ ...keys, long: `${'word '.repeat(60)}end`, no: 'no' }, 'yaml', {});
    expect(parse(yaml)).toEqual({ ...keys, long: `${'word '.repeat(60)}end`, no: 'no' });
    expect(yaml).toContain(`long: ${'word '.repeat(60)}end\n`);
  });

  it('is CSV with all fields of the contract, whatever the rows have, and no formulas', async () => {
    const columns = columnsOf('VirtualKey');
    const [header = '', first = '', second = '', ...more] = (await structuredText(keys, 'csv', { columns })).split(
      '\r\n',
    );
    expect(header).toMatch(/^id,organization_id,scope_kind,scope_id,name,hint,active,/);
    expect(more).toEqual(['']);
    expect(first).toContain('KEY_SCOPE_KIND_AI_SYSTEM,i,checkout,,true,');
    expect(first).toContain('"{""team"":""a,b""}"');
    expect(second).toContain("'=1+1");
    expect(second).toContain('"[""a/*"",""b/*""]"');
    expect(await structuredText({ virtualKeys: [], nextPageToken: '' }, 'csv', { columns })).toBe(`${header}\r\n`);
  });

  it('of another shape is CSV with the fields that occur', async () => {
    const text = await structuredText({ contexts: [{ name: 'a' }, { name: 'b', loggedIn: true }] }, 'csv', {});
    expect(text).toBe('name,logged_in\r\na,\r\nb,true\r\n');
    expect(await structuredText({ a: { b: 1 }, list: [1, 2] }, 'csv', {})).toBe('a_b,list\r\n1,"[1,2]"\r\n');
  });

  it('is names, one a line, without control characters', async () => {
    expect(await structuredText(keys, 'name', {})).toBe('checkout\n=1+1\n');
    const events = { events: [{ revision: '7', targetId: 'x' }], nextPageToken: 't' };
    expect(await structuredText(events, 'name', { names: ['revision'] })).toBe('7\n');
    expect(await structuredText({ virtualKey: { id: 'k', name: 'a\u001bb' } }, 'name', {})).toBe('k\n');
    await expect(structuredText({ ok: true }, 'name', {})).rejects.toThrow('no name to print');
  });
});

describe('the word of -o', () => {
  it.each([
    [{}, { form: 'table' }],
    [{ json: true }, { form: 'json' }],
    [{ o: 'yaml' }, { form: 'yaml' }],
    [{ o: 'json', json: true }, { form: 'json' }],
    [{ o: 'name', organization: 'acme' }, { form: 'name' }],
  ])('%j is %j', (given, read) => {
    expect(readOutput(given)).toEqual(read);
  });

  it('that is no form is an organization, with a warning', () => {
    expect(readOutput({ o: 'acme', json: true })).toEqual({
      ...{ form: 'json', organization: 'acme', warning: expect.stringContaining('--organization acme') },
    });
  });

  it('excludes --json, and an organization beside --organization', () => {
    expect(() => readOutput({ o: 'csv', json: true })).toThrow('--json excludes -o csv');
    expect(() => readOutput({ o: 'xml', organization: 'acme' })).toThrow('-o must be one of table, json, yaml');
  });
});
