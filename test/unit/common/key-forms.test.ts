import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCredential, credentialPrefixes } from '../../../common/credential.ts';
import { printableLine, withoutKeyForms } from '../../../common/key-forms.ts';

const kinds = Object.keys(credentialPrefixes) as (keyof typeof credentialPrefixes)[];

describe('a text without key forms', () => {
  it.each([
    'Incorrect API key provided: sk-proj-Ab3dEf6hIj9lMnOpQr',
    'Incorrect API key provided: sk-abcd********************wxyz.',
    'no such key AIzaSyA1b2C3d4E5f6G7h8I9j0KlMnOpQrStUv',
    'the access key AKIAIOSFODNN7EXAMPLE is not active',
    'Authorization: Bearer gsk_abcdefgh',
    `signature ${randomBytes(32).toString('hex')}`,
    `/v1/%zz${randomBytes(32).toString('base64url')}/chat`,
    ...kinds.map((kind) => `"${createCredential(kind)}"`),
    `gpt-provider%2F${createCredential('virtualKey')}`,
  ])('hides %s', (text) => {
    const shown = withoutKeyForms(text);
    expect(shown).toContain('[hidden]');
    expect(shown.length).toBeLessThan(text.length);
    for (const run of text.match(/[A-Za-z0-9]{16,}/g) ?? []) expect(shown).not.toContain(run);
  });

  it.each([
    'The engine is currently overloaded, please try again later',
    '/v1/openai/deployments/my-gpt-4o-deployment/chat/completions',
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    '/v1/models/anthropic.claude-3-5-sonnet-20241022-v2:0',
    'connect ECONNREFUSED 127.0.0.1:8443',
    'the organization 0193a5c2-7d1e-7c3a-9b1f-0123456789ab',
    'task-based and risk-free',
    'getaddrinfo ENOTFOUND model-server.internationalization.svc.cluster.local',
  ])('keeps %s', (text) => {
    expect(withoutKeyForms(text)).toBe(text);
  });

  it('contains no run of 16 characters of a gateway secret or of random bytes', () => {
    for (let n = 0; n < 500; n++) {
      const secret = [
        createCredential('virtualKey'),
        randomBytes(24).toString('base64url'),
        randomBytes(24).toString('hex'),
      ][n % 3];
      const shown = printableLine(`/v1/${secret}/x ${secret}: "${secret}"`, 400);
      for (let at = 0; at + 16 <= (secret ?? '').length; at++) expect(shown).not.toContain(secret?.slice(at, at + 16));
    }
  });
});

describe('a printable line', () => {
  it('contains no line breaks, control characters or marks that change the reading direction', () => {
    expect(printableLine('a\r\n\tb\u0000\u001b[31mc\u202ed', 100)).toBe('a b [31mc d');
  });

  it('is bounded in length, and never cut inside a key', () => {
    expect(printableLine('x '.repeat(500), 50)).toHaveLength(50);
    const key = createCredential('virtualKey');
    for (let before = 0; before < 120; before++) {
      const shown = printableLine(`${'x '.repeat(before)}${key}`, 25);
      expect(shown).not.toMatch(/[0-9A-Za-z]{8}/);
    }
  });
});
