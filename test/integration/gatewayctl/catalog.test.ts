// `gatewayctl catalog …` as an operator types it: it first shows the changes of newer figures, accepts implausible ones
// only on request, and writes only catalogs that the programs accept.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchCatalog } from '../../../catalog/file.ts';
import { catalogInForce } from '../../../catalog/in-force.ts';
import { catalogSettings } from '../../../catalog/settings.ts';
import { createGatewayctl, type Gatewayctl } from '../../support/gatewayctl.ts';
import { silentLog } from '../../support/silent-log.ts';

let directory: string;
let ctl: Gatewayctl;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gatewayctl-catalog-'));
  ctl = createGatewayctl();
});
afterAll(() => {
  ctl.remove();
  rmSync(directory, { recursive: true });
});

const at = (name: string) => join(directory, name);
function write(name: string, content: unknown): string {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
}

const row = (name: string, input: string, source?: string) => ({
  ...{ provider: 'gpt-provider', name, chat: true, limits: {}, capabilities: [] },
  prices: { input, output: '10', asOf: '2026-08-01', ...(source !== undefined && { source }) },
});
const own = {
  ...{ asOf: '2026-08-01', unit: 'USD per million tokens', sources: { contract: 'our contract' } },
  models: [row('gpt-8', '2'), row('gpt-9', '2'), row('gpt-own', '2', 'contract')],
};
/** USD per token, as in LiteLLM's list. */
const listed = (input: number, output = 1e-5) => ({
  ...{ litellm_provider: 'openai', mode: 'chat' },
  ...{ input_cost_per_token: input, output_cost_per_token: output },
});
const list = {
  sample_spec: { mode: 'chat', litellm_provider: 'one of …' },
  'gpt-8': listed(3e-6),
  'gpt-9': listed(2e-5, 4e-5),
  'gpt-own': listed(9e-6),
  'gpt-10': listed(4e-6, 2e-5),
  'claude-of-others': { ...listed(1e-6), litellm_provider: 'vertex_ai-anthropic_models' },
};

const inputOf = (file: string, name: string) =>
  JSON.parse(readFileSync(file, 'utf8')).models.find((one: { name: string }) => one.name === name)?.prices.input;

describe('gatewayctl catalog', () => {
  it('shows the changes of a list and their implausible figures, without writing anything', async () => {
    const [catalog, from] = [write('a.json', own), write('list.json', list)];
    const before = readFileSync(catalog, 'utf8');
    const { code, out, err } = await ctl.run(`catalog diff --from ${from} --catalog ${catalog}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^gpt-provider\/gpt-8 +prices\.input +2 +3$/m);
    expect(out).toMatch(/^gpt-provider\/gpt-9 +prices\.input +2 +20 +! it would be 10 times what it is$/m);
    expect(out).toMatch(/^gpt-provider\/gpt-10 +added +- +4 \/ 20$/m);
    expect(out).not.toContain('claude');
    expect(err).toContain('4 changes of 3 models, 1 of them new');
    expect(err).toContain('1 change to look at first');
    expect(err).toContain('as decided by hand stay gpt-provider/gpt-own');
    expect(readFileSync(catalog, 'utf8')).toBe(before);
    const reported = await ctl.json(`catalog diff --from ${from} --catalog ${catalog} --as-of 2026-11-22`);
    expect(reported).toMatchObject({ asOf: '2026-11-22', kept: ['gpt-provider/gpt-own'], missing: [] });
    expect(reported.changes).toHaveLength(4);
  });

  it('accepts all changes or none, and implausible ones only on request', async () => {
    const [catalog, from] = [write('b.json', own), write('list.json', list)];
    const line = `catalog update --from ${from} --catalog ${catalog} --as-of 2026-11-22`;
    const refused = await ctl.run(line);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('nothing was written: check gpt-provider/gpt-9');
    const other = await ctl.run(`${line} --accept gpt-provider/gpt-8`);
    expect(other.code).not.toBe(0);
    expect(JSON.parse(readFileSync(catalog, 'utf8'))).toEqual(own);
    const taken = await ctl.run(`${line} --accept gpt-provider/gpt-9`);
    expect([taken.code, taken.err]).toEqual([0, expect.stringContaining('is the catalog of 2026-11-22 now')]);
    const prices = ['gpt-8', 'gpt-9', 'gpt-10', 'gpt-own'].map((name) => inputOf(catalog, name));
    expect(prices).toEqual(['3', '20', '4', '2']);
    // The next list replaces rows that came from a list.
    const again = await ctl.json(`catalog diff --from ${from} --catalog ${catalog} --as-of 2026-11-22`);
    expect(again.changes).toEqual([]);
  });

  it('accepts a catalog in its own format as a whole, and writes to another file', async () => {
    const catalog = write('c.json', own);
    const from = write('newer.json', {
      ...own,
      asOf: '2026-11-30',
      sources: {},
      models: [row('gpt-8', '2')],
    });
    const line = `catalog update --from ${from} --catalog ${catalog} --out ${at('d.json')}`;
    expect((await ctl.run(line)).err).toContain('check gpt-provider/gpt-9, gpt-provider/gpt-own');
    expect(existsSync(at('d.json'))).toBe(false);
    await ctl.expect(`${line} --accept all`);
    const made = JSON.parse(readFileSync(at('d.json'), 'utf8'));
    expect([made.asOf, made.models.length]).toEqual(['2026-11-30', 1]);
    expect(JSON.parse(readFileSync(catalog, 'utf8'))).toEqual(own);
  });

  it('compares a list with the shipped catalog when no other is named', async () => {
    const from = write('list.json', list);
    const reported = await ctl.json(`catalog diff --from ${from}`);
    expect(reported.changes).toContainEqual(expect.objectContaining({ model: 'gpt-provider/gpt-10', what: 'added' }));
    const { code, err } = await ctl.run(`catalog update --from ${from}`);
    expect([code, err]).toEqual([2, expect.stringContaining('--out <file>')]);
  });

  it('signs a catalog so that the programs accept it, and no other', async () => {
    const catalog = write('e.json', own);
    const key = write('key.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    const pub = write('public.pem', String(publicKey.export({ type: 'spki', format: 'pem' })));
    expect((await ctl.run(`catalog verify --catalog ${catalog} --public-key ${pub}`)).err).toContain(
      'has no signature',
    );
    const output = (await ctl.expect(`catalog sign --catalog ${catalog} --key ${key}`)).trim();
    const set = catalogSettings.catalogPublicKey.decode(output);
    expect(await ctl.expect(`catalog verify --catalog ${catalog} --public-key ${pub}`)).toContain(
      'as of     2026-08-01',
    );
    const watch = await watchCatalog({ file: catalog, publicKey: set }, { log: silentLog });
    expect(catalogInForce().asOf).toBe('2026-08-01');
    watch.close();
    writeFileSync(catalog, JSON.stringify({ ...own, asOf: '2026-08-02' }));
    const forged = await ctl.run(`catalog verify --catalog ${catalog} --public-key ${pub}`);
    expect([forged.code === 0, forged.err]).toEqual([false, expect.stringContaining('is no signature of')]);
    await expect(watchCatalog({ file: catalog, publicKey: set }, { log: silentLog })).rejects.toThrow(
      /is no signature of/,
    );
  });

  it('verifies the signature of the bytes that it has read, even if the file is replaced meanwhile', async () => {
    const [read, later] = [JSON.stringify(own), JSON.stringify({ ...own, asOf: '2026-08-02' })];
    const catalog = write('g.json', read);
    writeFileSync(`${catalog}.sig`, sign(null, Buffer.from(later), privateKey));
    // Reading the key blocks until the test writes it to the pipe.
    const key = at('key.pipe');
    execFileSync('mkfifo', [key]);
    const ran = ctl.run(`catalog verify --catalog ${catalog} --public-key ${key}`);
    const pipe = await open(key, 'w');
    writeFileSync(catalog, later);
    await pipe.writeFile(publicKey.export({ type: 'spki', format: 'pem' }));
    await pipe.close();
    const { code, out, err } = await ran;
    expect([code === 0, out, err]).toEqual([false, '', expect.stringContaining('is no signature of')]);
  });

  it.each([
    ['a model twice', { ...own, models: [row('gpt-8', '2'), row('gpt-8', '3')] }, /odd\.json: a model is there twice/],
    ['no chat model with a price', { ...own, models: [] }, /odd\.json has no chat model with a price/],
  ])('neither signs nor approves a catalog that no program would accept: %s', async (_what, content, message) => {
    const odd = write('odd.json', content);
    const key = write('key.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    for (const line of [`sign --catalog ${odd} --key ${key}`, `verify --catalog ${odd}`]) {
      const { code, err } = await ctl.run(`catalog ${line}`);
      expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    }
    expect(existsSync(`${odd}.sig`)).toBe(false);
  });

  it('writes no catalog that no program would accept', async () => {
    const [catalog, from] = [write('h.json', own), write('none.json', { ...own, models: [] })];
    const { code, err } = await ctl.run(`catalog update --from ${from} --catalog ${catalog} --accept all`);
    expect([code, err]).toEqual([2, expect.stringContaining('h.json has no chat model with a price')]);
    expect(JSON.parse(readFileSync(catalog, 'utf8'))).toEqual(own);
  });

  it.each([
    ['no JSON', '{', /is no JSON/],
    ['neither a catalog nor a list', '{"a":1}', /an object with models is expected/],
    ['a catalog with an odd row', { ...own, models: [{ ...row('gpt-8', 'x') }] }, /gpt-8: prices are decimal/],
  ])('refuses %s, and names the location', async (_what, content, message) => {
    const from = write('odd.json', content);
    const { code, err } = await ctl.run(`catalog diff --from ${from}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect((await ctl.run(`catalog verify --catalog ${from}`)).code).not.toBe(0);
    const key = write('key.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    expect((await ctl.run(`catalog sign --catalog ${from} --key ${key}`)).code).not.toBe(0);
    expect(existsSync(`${from}.sig`)).toBe(false);
  });

  it('refuses an invalid day, a source that later lists would not replace, and another kind of key', async () => {
    const [catalog, from] = [write('f.json', own), write('list.json', list)];
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const key = write('rsa.pem', String(rsa.export({ type: 'pkcs8', format: 'pem' })));
    for (const [line, message] of [
      [`catalog diff --from ${from} --as-of yesterday`, /--as-of takes a day/],
      [`catalog diff --from ${from} --source mine`, /begins with litellm-/],
      [`catalog sign --catalog ${catalog} --key ${key}`, /contains no Ed25519 key in PEM/],
      [`catalog diff --from ${at('nothing.json')}`, /nothing\.json cannot be read \(ENOENT\)/],
    ] as const) {
      const { code, err } = await ctl.run(line);
      expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    }
  });
});
