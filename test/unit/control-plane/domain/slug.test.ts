// Slugs of organizations and e-mail domains, as the sign-in page's address and lists have them.
import { describe, expect, it } from 'vitest';
import { isSlug, slugOf } from '../../../../common/slug.ts';
import { domainOfEmail, emailDomain } from '../../../../control-plane/domain/sign-in-domain.ts';

describe('a slug', () => {
  it.each([
    ['Acme, Inc.', 'acme-inc'],
    ['  Ünïted Zürich ', 'united-zurich'],
    ['AB', 'org-ab'],
    ['株式会社', 'org'],
    ['01890000-0000-7000-8000-000000000000', 'org-01890000-0000-7000-8000-000000000000'],
    ['x'.repeat(128), 'x'.repeat(40)],
  ])('is made from the name %j', (name, expected) => {
    const made = slugOf(name, () => false);
    expect(made).toBe(expected);
    expect(isSlug(made)).toBe(true);
  });

  it('gets a number if another organization has it', () => {
    const taken = new Set(['acme', 'acme-2']);
    expect(slugOf('Acme', (text) => taken.has(text))).toBe('acme-3');
    const long = 'x'.repeat(40);
    expect(slugOf(long, (text) => text === long)).toBe(`${'x'.repeat(38)}-2`);
  });

  it.each(['ab', 'Acme', 'a b c', 'a/../b', 'x'.repeat(41), '01890000-0000-7000-8000-000000000000'])(
    'is refused as %j',
    (text) => expect(isSlug(text)).toBe(false),
  );
});

describe('a domain', () => {
  it.each([
    ['Example.COM.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a.b-c.example.co.uk', 'a.b-c.example.co.uk'],
  ])('has its ASCII form: %j', (text, expected) => expect(emailDomain(text)).toEqual({ value: expected }));

  it.each(['localhost', '10.0.0.1', '-a.example', 'a..example', 'a_b.example', '', `${'a'.repeat(64)}.example`])(
    'is refused as %j',
    (text) => expect(emailDomain(text)).toHaveProperty('problems'),
  );

  it.each([
    ['Ada@Example.com', 'example.com'],
    ['ada', undefined],
    ['ada@x@example.com', undefined],
    ['a'.repeat(5000), undefined],
  ])('of the address %j', (address, expected) => expect(domainOfEmail(address)).toBe(expected));
});
