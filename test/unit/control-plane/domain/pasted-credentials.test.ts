// Keys and tokens of the gateway that operators paste into names and texts.
import { describe, expect, it } from 'vitest';
import { createCredential, credentialPrefixes } from '../../../../common/credential.ts';
import { guardrailMessage, guardrailName } from '../../../../control-plane/domain/guardrail.ts';
import { pastedCredentials } from '../../../../control-plane/domain/pasted-credentials.ts';
import {
  clientRequestId,
  email,
  metadata,
  modelGlob,
  name,
  noCredential,
  visible,
} from '../../../../control-plane/domain/shared-fields.ts';

const kinds = Object.keys(credentialPrefixes) as (keyof typeof credentialPrefixes)[];

describe.each(kinds)('a credential of the kind %s', (kind) => {
  const value = createCredential(kind);
  const inLowerCase = value.toLowerCase();
  const refused = { problems: [{ at: '', description: noCredential }] };

  it.each([
    ['a name', name(value)],
    ['a name, within other words', name(`the token ${value} of Olga`)],
    ['a text that is shown', visible(value, 512)],
    ['an address of mail', email(`${value}@example.com`)],
    ['an id of a request', clientRequestId(value)],
    ['a glob', modelGlob(`gpt-provider/${value}*`)],
    ['a guardrail’s name', guardrailName(inLowerCase)],
    ['a guardrail’s message', guardrailMessage(`call ${value}`)],
  ])('is refused as %s, and not repeated', (_, field) => {
    expect(field).toEqual(refused);
    expect(JSON.stringify(field)).not.toContain(value);
  });

  it('is refused as metadata', () => {
    const problem = (at: string) => ({ problems: [{ at, description: noCredential }] });
    expect(metadata({ entries: { team: value } })).toEqual(problem('.entries[team]'));
    expect(metadata({ entries: { [value]: 'a' } })).toEqual(problem('.entries'));
  });

  it('is found in every field of a change, and reported by its path', () => {
    const request = {
      name: 'fine',
      ifRevision: '7',
      keyHash: Buffer.from(value),
      someUrl: `https://example.com/${value}`,
      check: { words: { phrases: ['fine', value], mode: null } },
      models: { models: [{ name: 'a', traits: { [value]: 'x', family: 'gpt' } }] },
      entries: { team: `x${value}` },
    };
    expect(pastedCredentials(request)).toEqual(
      ['some_url', 'check.words.phrases[1]', 'models.models[0].traits', 'entries.team'].map((field) => ({
        field,
        description: noCredential,
      })),
    );
  });

  it('is accepted in a secret, which is sealed and checked where it is read', () => {
    expect(pastedCredentials({ secret: { apiKey: value }, name: 'fine' })).toEqual([]);
    expect(pastedCredentials({ secret: value })).toEqual([]);
  });

  it('may be matched by a guardrail through its prefix', () => {
    const prefix = credentialPrefixes[kind];
    const patterns = [`${prefix}[0-9A-Za-z]{49}`, prefix, `${prefix}…`];
    expect(pastedCredentials({ check: { patterns: { patterns } } })).toEqual([]);
  });
});
