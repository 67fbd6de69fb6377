// A catalog file replaces the whole shipped catalog. A file that cannot be used is refused, and the last good one stays
// in force.
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CatalogWatch, catalogBytesMax, watchCatalog } from '../../../catalog/file.ts';
import { catalogAge, catalogInForce, catalogState, shippedCatalog } from '../../../catalog/in-force.ts';
import { chatModels, isInCatalog } from '../../../catalog/model-names.ts';
import { catalogSettings } from '../../../catalog/settings.ts';
import type { Logger } from '../../../common/logger.ts';
import type { Timers } from '../../../common/timers.ts';
import { findModel, listModels } from '../../../proxy/catalog/models.ts';
import { until } from '../../support/process.ts';

let directory: string;
let file: string;
let next: (() => void) | undefined;
let errors: string[];
let watch: CatalogWatch | undefined;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  file = join(directory, 'models.json');
  next = undefined;
  errors = [];
  watch = undefined;
});
afterEach(() => {
  watch?.close();
  rmSync(directory, { recursive: true });
});

const row = { provider: 'gpt-provider', name: 'gpt-9', chat: true, limits: {}, capabilities: [] };
const catalogOf = (input: string, asOf = '2026-11-30') =>
  JSON.stringify({
    ...{ asOf, unit: 'USD per million tokens', sources: {} },
    models: [{ ...row, prices: { input, output: '1', asOf } }],
  });

const log = {
  info: () => undefined,
  error: ({ err }: { err: Error }) => void errors.push(err.message),
} as unknown as Logger;

async function open(key = undefined as typeof publicKey | undefined): Promise<CatalogWatch> {
  watch = await watchCatalog({ file, publicKey: key }, { log, timers, everyMs: 1000 });
  return watch;
}

const timers: Timers = {
  after: (_ms, run) => {
    next = run;
    return () => undefined;
  },
};

/** Runs the watcher's next read of the file. */
async function look(): Promise<void> {
  const run = next;
  next = undefined;
  run?.();
  await until(() => next, { what: 'the file to have been read' });
}

const input = () => findModel('gpt-provider', 'gpt-9')?.prices?.input;
const signed = (text: string) => sign(null, Buffer.from(text), privateKey);

describe('a catalog file', () => {
  it('replaces the shipped catalog for models, prices and names until it is closed', async () => {
    expect(catalogInForce()).toBe(shippedCatalog);
    writeFileSync(file, catalogOf('7'));
    await open();
    expect(input()).toBe('7');
    expect(findModel('gpt-provider', 'gpt-4o')).toBeUndefined();
    expect(listModels().map(({ name }) => name)).toEqual(['gpt-9']);
    expect(chatModels()).toEqual(['gpt-provider/gpt-9']);
    expect(isInCatalog('gpt-provider/gpt-9')).toBe(true);
    expect(catalogState({ isRejected: false })).toEqual({
      ...{ asOf: '2026-11-30', digest: catalogInForce().digest, rejected: false },
      shippedAsOf: shippedCatalog.asOf,
    });
    expect(catalogAge(Date.parse('2026-12-01T12:00:00Z'))).toBe(1.5 * 86_400);
    watch?.close();
    expect(catalogInForce()).toBe(shippedCatalog);
    expect(isInCatalog('gpt-provider/gpt-9')).toBe(false);
    expect(isInCatalog('gpt-provider/gpt-4o')).toBe(true);
  });

  it('is read again when it changes', async () => {
    writeFileSync(file, catalogOf('7'));
    await open();
    const { digest } = catalogInForce();
    writeFileSync(file, catalogOf('8'));
    await look();
    expect(input()).toBe('8');
    expect(catalogInForce().digest).not.toBe(digest);
    // The same figures in another layout are the same catalog.
    const same = catalogInForce();
    writeFileSync(file, JSON.stringify(JSON.parse(catalogOf('8')), null, 2));
    await look();
    expect(catalogInForce()).toBe(same);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /is no JSON/],
    ['another form', '[]', /an object with models is expected/],
    ['no price', catalogOf('x'), /gpt-provider\/gpt-9: prices are decimal strings/],
    ['an unknown field', catalogOf('1').replace('"limits"', '"limit"'), /there is no field limit/],
    ['no chat model with a price', catalogOf('1').replace('true', 'false'), /has no chat model with a price/],
    ['a model twice', catalogOf('1').replace(/\[(\{.*\})\]/, '[$1,$1]'), /a model is there twice/],
    ['no day', catalogOf('1', 'today'), /asOf must be a day/],
  ])('with %s is refused at the start, and later the last good one stays in force', async (_what, text, message) => {
    writeFileSync(file, text);
    await expect(open()).rejects.toThrow(message);
    expect(catalogInForce()).toBe(shippedCatalog);
    writeFileSync(file, catalogOf('7'));
    const { isRejected } = await open();
    expect(isRejected).toBe(false);
    writeFileSync(file, text);
    await look();
    await look();
    expect([input(), watch?.isRejected]).toEqual(['7', true]);
    // The error was logged once.
    expect(errors).toEqual([expect.stringMatching(message)]);
    writeFileSync(file, catalogOf('8'));
    await look();
    expect([input(), watch?.isRejected]).toEqual(['8', false]);
  });

  it('is refused when it is too large, is not a file, or does not exist', async () => {
    writeFileSync(file, Buffer.alloc(catalogBytesMax + 1, ' '));
    await expect(open()).rejects.toThrow(/larger than 8 MiB/);
    file = directory;
    await expect(open()).rejects.toThrow(/no file/);
    file = join(directory, 'nothing.json');
    await expect(open()).rejects.toThrow(/nothing\.json cannot be read \(ENOENT\)/);
  });
});

describe('a signed catalog file', () => {
  it.each<[string, (signature: Buffer) => Buffer | string]>([
    ['as openssl writes it', (signature) => signature],
    ['in base64', (signature) => `${signature.toString('base64')}\n`],
  ])('is used when its signature is written %s', async (_how, written) => {
    writeFileSync(file, catalogOf('7'));
    writeFileSync(`${file}.sig`, written(signed(catalogOf('7'))));
    await open(publicKey);
    expect(input()).toBe('7');
  });

  it('is refused without a signature, with one of another text, and with one by another key', async () => {
    writeFileSync(file, catalogOf('7'));
    await expect(open(publicKey)).rejects.toThrow(/has no signature: .*\.sig cannot be read/);
    writeFileSync(`${file}.sig`, signed(catalogOf('8')));
    await expect(open(publicKey)).rejects.toThrow(/no signature of/);
    writeFileSync(`${file}.sig`, sign(null, Buffer.from(catalogOf('7')), generateKeyPairSync('ed25519').privateKey));
    await expect(open(publicKey)).rejects.toThrow(/no signature of/);
    writeFileSync(`${file}.sig`, '');
    await expect(open(publicKey)).rejects.toThrow(/no signature of/);
    expect(catalogInForce()).toBe(shippedCatalog);
  });

  it('that changes is used once its signature has changed too', async () => {
    writeFileSync(file, catalogOf('7'));
    writeFileSync(`${file}.sig`, signed(catalogOf('7')));
    await open(publicKey);
    writeFileSync(file, catalogOf('8'));
    await look();
    expect([input(), watch?.isRejected]).toEqual(['7', true]);
    writeFileSync(`${file}.sig`, signed(catalogOf('8')));
    await look();
    expect([input(), watch?.isRejected]).toEqual(['8', false]);
  });

  it('has its key set as PEM or as one line, and every other kind of key is refused', () => {
    const { decode } = catalogSettings.catalogPublicKey;
    const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(decode(der).equals(publicKey)).toBe(true);
    expect(decode(pem).equals(publicKey)).toBe(true);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    for (const wrong of [String(rsa.export({ type: 'spki', format: 'pem' })), 'x', '', der.slice(4)])
      expect(() => decode(wrong)).toThrow(/Ed25519/);
  });
});
