import { describe, expect, it } from 'vitest';
import { isFrom, issuerOf, isWrapped, unwrapOpaque, wrapOpaque } from '../../../../proxy/conversation/opaque.ts';
import { callerSignature } from '../../../../proxy/formats/generate-content/signatures.ts';
import {
  blocksIn,
  ownThinking,
  wrapBlocks,
  wrappedBlock,
  wrapThinking,
} from '../../../../proxy/models/claude/wrapped-thinking.ts';

const issuer = issuerOf('assistant-provider', '0198a5c0-0000-7000-8000-000000000001');
const wrapped = wrapOpaque({ issuer, kind: 'signature', value: 'c2ln+/==' }) ?? '';
const inForm = (value: unknown) => `gw1_${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

describe('a wrapped value', () => {
  it('has one form, which passes where base64 passes', () => {
    expect(wrapped).toMatch(/^gw1_[A-Za-z0-9_-]+$/);
    expect(JSON.parse(Buffer.from(wrapped.slice(4), 'base64url').toString())).toEqual({
      issuer: { provider: 'assistant-provider', account: expect.stringMatching(/^[0-9a-f]{8}$/) },
      ...{ kind: 'signature', value: 'c2ln+/==' },
    });
  });

  it('is unwrapped as it was', () => {
    expect(unwrapOpaque(wrapped)).toEqual({ issuer, kind: 'signature', value: 'c2ln+/==' });
  });

  it.each([
    ['another provider', issuerOf('managed-cloud-models', '0198a5c0-0000-7000-8000-000000000001')],
    ['another account', issuerOf('assistant-provider', '0198a5c0-0000-7000-8000-000000000002')],
    ['the caller’s own key', issuerOf('assistant-provider', undefined)],
  ])('is not from %s', (_, other) => {
    const read = unwrapOpaque(wrapped);
    expect(read !== undefined && isFrom(read, issuer)).toBe(true);
    expect(read !== undefined && isFrom(read, other)).toBe(false);
  });

  it('is at most 1 MiB', () => {
    const overhead = wrapOpaque({ issuer, kind: 'signature', value: '' })?.length ?? 0;
    const fitting = Math.floor(((2 ** 20 - overhead) * 3) / 4) - 3;
    const largest = wrapOpaque({ issuer, kind: 'signature', value: 'a'.repeat(fitting) });
    expect(largest?.length).toBeGreaterThan(2 ** 20 - 10);
    expect(unwrapOpaque(largest ?? '')?.value).toHaveLength(fitting);
    expect(wrapOpaque({ issuer, kind: 'signature', value: 'a'.repeat(fitting + 10) })).toBeUndefined();
    expect(unwrapOpaque(inForm({ issuer, kind: 'signature', value: 'a'.repeat(2 ** 20) }))).toBeUndefined();
  });

  it.each([
    ['a vendor’s own signature', 'EqQBCkYIBRgCKkA'],
    ['a signature of a Gemini model', callerSignature('c2ln', 'gemini-3-pro-preview')],
    ['a truncated one', wrapped.slice(0, -9)],
    ['one without an issuer', inForm({ kind: 'signature', value: 'a' })],
    ['one with half an issuer', inForm({ issuer: { provider: 'a' }, kind: 'signature', value: 'a' })],
    ['an unknown kind', inForm({ issuer, kind: 'text', value: 'a' })],
    ['an empty value', inForm({ issuer, kind: 'signature', value: '' })],
    ['a value that is no text', inForm({ issuer, kind: 'signature', value: { a: 1 } })],
    ['a list', `gw1_${Buffer.from('[]').toString('base64url')}`],
    ['nothing', 'gw1_'],
  ])('is not %s', (_, value) => {
    expect(unwrapOpaque(value)).toBeUndefined();
  });

  it('has a mark that no other form of the gateway has', () => {
    expect(isWrapped(wrapped)).toBe(true);
    expect(isWrapped(callerSignature('c2ln', 'gemini-3-pro-preview'))).toBe(false);
    expect(isWrapped(undefined)).toBe(false);
  });
});

describe('wrapped thinking', () => {
  const signed = { type: 'thinking', thinking: 'Oslo it is.', signature: 'c2ln' } as const;
  const redacted = { type: 'redacted_thinking', data: 'cmVk' } as const;
  const [thinking, redactedToo] = [signed, redacted].flatMap((block) => wrapThinking(block, issuer));

  it('is the vendor’s again for its issuer', () => {
    expect(ownThinking({ ...thinking }, issuer)).toEqual(signed);
    expect(ownThinking({ ...redactedToo }, issuer)).toEqual(redacted);
  });

  it('is dropped for others, and if its text was changed', () => {
    const other = issuerOf('managed-cloud-models', undefined);
    expect(ownThinking({ ...thinking }, other)).toBeUndefined();
    expect(ownThinking({ ...redactedToo }, other)).toBeUndefined();
    expect(ownThinking({ ...thinking, thinking: 'Rome it is.' }, issuer)).toBeUndefined();
  });

  it('is dropped if its value is of the other kind', () => {
    const data = thinking?.type === 'thinking' ? thinking.signature : '';
    expect(ownThinking({ type: 'redacted_thinking', data }, issuer)).toBeUndefined();
    const signature = redactedToo?.type === 'redacted_thinking' ? redactedToo.data : '';
    expect(ownThinking({ type: 'thinking', thinking: '', signature }, issuer)).toBeUndefined();
  });

  it('stays as it is if it was not wrapped', () => {
    expect(ownThinking(signed, issuer)).toBe(signed);
  });

  it('becomes a block of its kind from its value and the text beside it', () => {
    const value = thinking?.type === 'thinking' ? thinking.signature : '';
    expect(wrappedBlock(value, 'Oslo it is.')).toEqual(thinking);
    expect(wrappedBlock('EqQBCkYIBRgCKkA', 'Oslo it is.')).toBeUndefined();
  });

  it('is in one value for a client that sends calls back without the thinking before them', () => {
    const blocks = [{ ...thinking }, { ...redactedToo }];
    expect(blocksIn(wrapBlocks(blocks) ?? '')).toEqual(blocks);
    expect(wrapBlocks([signed])).toBeUndefined();
    const forged = { type: 'moon', data: thinking?.type === 'thinking' ? thinking.signature : '' };
    expect(blocksIn(wrapBlocks([forged]) ?? '')).toEqual([]);
    expect(blocksIn('EqQBCkYIBRgCKkA')).toEqual([]);
  });

  it('is left out if it is too large', () => {
    expect(wrapThinking({ ...redacted, data: 'a'.repeat(2 ** 20) }, issuer)).toEqual([]);
  });
});
