import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../common/clock.ts';
import { createLogger } from '../../../../common/logger.ts';
import { parseVerifyingKeys, publicPemOf, type SigningKey, signRecords } from '../../../../common/record-signature.ts';
import { accessLimits } from '../../../../proxy/access/limits.ts';
import { openRecordKeys } from '../../../../proxy/access/record-keys.ts';
import { newSigningKey, noRecordKeys } from '../../../support/access/signing.ts';
import { until } from '../../../support/process.ts';
import { silentLog } from '../../../support/silent-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'record-keys-'));
const file = join(folder, 'record-keys.pem');
const [old, fresh] = [newSigningKey(), newSigningKey()];

afterEach(() => rmSync(file, { force: true }));

function collectLog() {
  const logged: string[] = [];
  const stream = { write: (line: string) => void logged.push(line) };
  return { logged, log: createLogger({ name: 'test', level: 'info', stream }) };
}

function recordOf(key: SigningKey, revision = 1) {
  const head = { epoch: 'one', revision, signedAt: 1 };
  const [record] = signRecords(key, head, [{ kind: 'key', ref: 'ab', body: Buffer.from('body') }]);
  if (record === undefined) throw new Error('there is one');
  return record;
}

describe('public keys in a file', () => {
  it('are read again on a change: an added key counts, a removed one does not, nor do records it has signed', async () => {
    const write = (...keys: SigningKey[]) => writeFileSync(file, keys.map(publicPemOf).join(''));
    write(old);
    const keys = parseVerifyingKeys(publicPemOf(old));
    const given = openRecordKeys(
      { keys, file, maxStaleMs: 3_600_000 },
      { log: silentLog, everyMs: 5, clock: systemClock, limits: accessLimits },
    );
    expect([given.isGenuine(recordOf(old)), given.isGenuine(recordOf(fresh))]).toEqual([true, false]);
    write(old, fresh);
    await until(() => given.isGenuine(recordOf(fresh)), { what: 'the new key to count' });
    expect(given.isGenuine(recordOf(old))).toBe(true);
    write(fresh);
    await until(() => !given.isGenuine(recordOf(old)), { what: 'the old key to count no more' });
    writeFileSync(file, 'half a k');
    expect(given.isGenuine(recordOf(fresh))).toBe(true);
    given.learn([old.publicKey]);
    expect(given.isGenuine(recordOf(old))).toBe(false);
    expect(given.state()).toEqual({ ids: [fresh.id.toString('hex')], fromControlPlane: false });
    given.close();
  });
});

describe('a file of public keys', () => {
  it('is logged when it has changed, and once with its name when it contains no key', async () => {
    const { log, logged } = collectLog();
    writeFileSync(file, publicPemOf(old));
    const given = openRecordKeys(
      { keys: parseVerifyingKeys(publicPemOf(old)), file, maxStaleMs: 3_600_000 },
      { log, everyMs: 5, clock: systemClock, limits: accessLimits },
    );
    const lines = (count: number) => until(() => logged.length >= count, { what: `${count} lines` });
    writeFileSync(file, [old, fresh].map(publicPemOf).join(''));
    await lines(1);
    writeFileSync(file, 'no key');
    await lines(2);
    writeFileSync(file, publicPemOf(fresh));
    await lines(3);
    given.close();
    expect(logged).toEqual([
      expect.stringContaining('was read anew'),
      expect.stringContaining(`the content of ${file} `),
      expect.stringContaining('was read anew'),
    ]);
  });
});

describe('a control plane that signs with no configured key', () => {
  it('is refused each time with instructions, and logged once', () => {
    const { log, logged } = collectLog();
    const given = openRecordKeys(
      { keys: parseVerifyingKeys(publicPemOf(old)), file: undefined, maxStaleMs: 3_600_000 },
      { log, clock: systemClock, limits: accessLimits },
    );
    for (let times = 0; times < 3; times++) {
      expect(() => given.refuse('unknown key')).toThrow('add its public key to GATEWAY_RECORD_KEYS');
      expect(logged).toEqual([expect.stringContaining('add its public key')]);
    }
    given.close();
  });
});

describe('public keys from the control plane', () => {
  it('are limited in number: the one named longest ago is dropped first', () => {
    const learnt = noRecordKeys();
    expect(learnt.belief).toBe('nothing');
    learnt.learn([old.publicKey]);
    for (let count = 0; count < 8; count++) learnt.learn([newSigningKey().publicKey]);
    expect(learnt.isGenuine(recordOf(old))).toBe(false);
    expect(learnt.state().ids).toHaveLength(8);
  });

  it('are logged when they are named for the first time', () => {
    const { log, logged } = collectLog();
    const learnt = openRecordKeys(
      { keys: undefined, file: undefined, maxStaleMs: 3_600_000 },
      { log, clock: systemClock, limits: accessLimits },
    );
    for (let times = 0; times < 3; times++) learnt.learn([old.publicKey, fresh.publicKey]);
    expect(logged.map((line) => JSON.parse(line).key)).toEqual([old, fresh].map(({ id }) => id.toString('hex')));
  });

  it('must be Ed25519 keys', () => {
    expect(() => noRecordKeys().learn([Buffer.from('no key')])).toThrow('must be an Ed25519 public key');
  });
});
