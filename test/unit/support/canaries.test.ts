import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { Canaries, plants } from '../../support/canaries.ts';

const secret = createCredential('virtualKey');
const key = randomBytes(32).toString('base64');
const canaries = new Canaries();
canaries.add('virtual key', secret);
canaries.addKey('seal key', key);

const around = randomBytes(5000);
const searched = (plant: Buffer) =>
  canaries.search(new Map([['log', Buffer.concat([around, plant, around])]])).map(({ canary }) => canary);

describe('the search for leaked secrets', () => {
  it.each(Object.entries(plants(Buffer.from(secret))))('finds a virtual key as %s', (_form, plant) => {
    expect(searched(plant)).toContain('virtual key');
  });

  it.each(Object.entries(plants(Buffer.from(key, 'base64'))))('finds a key’s bytes as %s', (_form, plant) => {
    expect(searched(plant)).toContain('seal key, decoded');
  });

  it('finds nothing in random bytes, hashes and hints', () => {
    const hint = Buffer.from(secret.slice(-4));
    expect(searched(hint)).toEqual([]);
    expect(searched(randomBytes(10_000))).toEqual([]);
    expect(searched(Buffer.from(createCredential('virtualKey')))).toEqual([]);
  });

  it('reports whether it would find a leak in a given output', () => {
    expect(canaries.unseen(new Map([['log', around]]))).toEqual([]);
  });
});
