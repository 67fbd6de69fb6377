// Tests to which requests a sidecar attaches its virtual key, and how it follows changes of the key's file.
import { mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import { createLogger } from '../../../../common/logger.ts';
import { Secret } from '../../../../common/secret.ts';
import { systemTimers } from '../../../../common/timers.ts';
import {
  attachableKey,
  attachingHeader,
  watchAttachedKey,
  withAttachedKey,
} from '../../../../proxy/access/attached-key.ts';
import { readCredentials, readDirectKey, readRouteKey } from '../../../../proxy/access/credentials.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { until } from '../../../support/process.ts';

const own = createCredential('virtualKey');
const attached = new Secret(createCredential('virtualKey'));
const headers = (...raw: string[]) => new RequestHeaders(raw);
const sixHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'x-svc-vk', 'project-api-key'];

describe('a request without a virtual key', () => {
  it.each([
    ['nothing at all', []],
    ["the SDK's dummy", ['authorization', 'Bearer attached-by-model-gateway']],
    ['a provider key', ['authorization', 'Bearer sk-other', 'x-api-key', 'other']],
    ['junk where the key goes', ['x-svc-vk', 'junk', 'project-api-key', 'junk']],
    ['a virtual key in another header', ['x-other', own]],
  ])('gets the attached key in x-svc-vk, or in Project-Api-Key on a provider’s own route: %s', (_, raw) => {
    expect(attachingHeader(headers(...raw), false)).toBe('x-svc-vk');
    expect(attachingHeader(headers(...raw), true)).toBe('project-api-key');
  });
});

describe('a request with its own virtual key', () => {
  it.each(sixHeaders)('stays unchanged when the virtual key is in %s', (name) => {
    for (const value of [own, `Bearer ${own}`, `"${own}"`, `sk-svc-short`]) {
      expect(attachingHeader(headers(name, value), false)).toBeUndefined();
      expect(attachingHeader(headers(name, value), true)).toBeUndefined();
    }
  });

  it.each(sixHeaders)('stays unchanged when %s is repeated with different values, which are refused later', (name) => {
    expect(attachingHeader(headers(name, 'one', name, 'other'), false)).toBeUndefined();
  });
});

describe('the caller’s own provider key beside the attached key', () => {
  it('is used with x-svc-direct-key: true', () => {
    const sent = headers('authorization', 'Bearer provider-key', 'x-svc-direct-key', 'true');
    expect(readCredentials(withAttachedKey(sent, false, attached), false)).toEqual({
      virtualKey: attached.reveal(),
      projectKey: undefined,
      direct: true,
    });
    expect(readDirectKey(sent).reveal()).toBe('provider-key');
  });

  it('is used on a provider’s own route', () => {
    const sent = headers('authorization', 'Bearer provider-key');
    expect(readCredentials(withAttachedKey(sent, true, attached), true)).toEqual({
      virtualKey: attached.reveal(),
      projectKey: undefined,
      direct: true,
    });
    expect(readRouteKey(sent, 'bearer').reveal()).toBe('provider-key');
  });

  it('a request stays unchanged when no key is attached', () => {
    const sent = headers('authorization', 'Bearer junk');
    expect(withAttachedKey(sent, false, undefined)).toBe(sent);
    expect(() => readCredentials(sent, false)).toThrow(expect.objectContaining({ code: 'virtual_key_required' }));
  });
});

describe('a key to attach', () => {
  it('a well-formed virtual key can be attached', () => {
    expect(attachableKey(own).reveal()).toBe(own);
  });

  it.each([
    ['empty', ''],
    ['another kind', createCredential('operator')],
    ['one character less', own.slice(0, -1)],
    ['one character more', `${own}0`],
    ['a wrong checksum', `${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`],
    ['two lines', `${own}\n${own}`],
  ])('a key is refused when it is %s, and the message does not repeat it', (_, text) => {
    const message = thrown(() => attachableKey(text));
    expect(message).toContain('virtual key');
    if (text !== '') expect(message).not.toContain(text.slice(0, 20));
  });
});

function thrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return 'nothing';
}

describe('the attached key’s file', () => {
  let directory: string;
  let file: string;
  const logs: string[] = [];
  const log = createLogger({
    name: 'test',
    level: 'info',
    stream: { write: (line) => void logs.push(line) },
  });
  const first = attached;

  beforeEach(() => {
    logs.length = 0;
    directory = mkdtempSync(join(tmpdir(), 'gateway-key-'));
    file = join(directory, 'virtual-key');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is read again when Kubernetes replaces it by pointing its symbolic link to another file', async () => {
    writeFileSync(join(directory, 'old'), first.reveal());
    writeFileSync(join(directory, 'new'), `${own}\n`);
    symlinkSync('old', file);
    const key = watchAttachedKey({ key: first, file }, { log, everyMs: 5 });
    unlinkSync(file);
    symlinkSync('new', file);
    await until(() => key.current.reveal() === own);
    key.close();
    expect(logs.join('')).toContain('the attached key was read anew');
    expect(logs.join('')).not.toContain(own);
  });

  it.each([
    ['empty', ''],
    ['no key', 'junk-that-must-stay-hidden'],
    ['gone', undefined],
  ])(
    'while the file is %s, the last good key is kept; one log line reports it without the file’s content',
    async (_, text) => {
      if (text !== undefined) writeFileSync(file, text);
      let looks = 0;
      const after = (_: number, look: () => void) => {
        looks++;
        return systemTimers.after(1, look);
      };
      const key = watchAttachedKey({ key: first, file }, { log, timers: { after } });
      await until(() => looks > 4);
      expect(logs).toHaveLength(1);
      expect(logs[0]).toContain('the last good one is kept');
      expect(logs[0]).toContain(file);
      expect(logs[0]).not.toContain('junk-that');
      expect(key.current.reveal()).toBe(first.reveal());
      writeFileSync(file, own);
      await until(() => key.current.reveal() === own);
      key.close();
    },
  );
});
