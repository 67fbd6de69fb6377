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

describe('the search for secrets', () => {
  it.each(Object.entries(plants(Buffer.from(secret))))('sees one as %s', (_form, plant) => {
    expect(searched(plant)).toContain('virtual key');
  });

  it.each(Object.entries(plants(Buffer.from(key, 'base64'))))("sees a key's bytes as %s", (_form, plant) => {
    expect(searched(plant)).toContain('seal key, decoded');
  });

  it('sees nothing in what is not there, nor in hashes and hints', () => {
    const hint = Buffer.from(secret.slice(-4));
    expect(searched(hint)).toEqual([]);
    expect(searched(randomBytes(10_000))).toEqual([]);
    expect(searched(Buffer.from(createCredential('virtualKey')))).toEqual([]);
  });

  it('knows whether it would see a leak in a place', () => {
    expect(canaries.unseen(new Map([['log', around]]))).toEqual([]);
  });
});
