import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { keyRevision } from '../../../../proxy/upstream/key-revision.ts';
import { health, of, target } from './health.fixture.ts';

const [a, b] = [target('a'), target('b')];
const otherModel = target('a', { model: 'gpt-provider/gpt-4o' });

describe('a provider key that a vendor refuses', () => {
  it.each(['key', 'quota'] as const)('is out at once, for all its models, and reported once: %s', (cause) => {
    const { usable, made, events, pass } = health();
    made.failed(a.identity, cause);
    made.failed(a.identity, cause);
    expect(usable(a, b)).toEqual(['b']);
    expect(usable(otherModel, b)).toEqual(['b']);
    pass(300_000);
    made.failed(a.identity, cause);
    expect(events).toEqual([`key-a of org out: ${cause}, all models`]);
    expect(made.out).toEqual({ hosts: 0, sharedHosts: 0, keys: 1, limits: 0 });
  });

  it('is out for one model if the vendor refused it for that', () => {
    const { usable, made, events } = health();
    made.failed(a.identity, 'access');
    expect(usable(a, b)).toEqual(['b']);
    expect(usable(otherModel, b)).toEqual(['a', 'b']);
    expect(events).toEqual(['key-a of org out: access, gpt-provider/gpt-4o-mini']);
  });

  it.each(['key', 'access'] as const)(
    'gets a trial every five minutes, one at a time, and is readmitted by it: %s',
    (cause) => {
      const { usable, made, events, pass } = health();
      made.failed(a.identity, cause);
      for (let trial = 0; trial < 3; trial++) {
        pass(299_999);
        expect(usable(a, b)).toEqual(['b']);
        pass(1);
        expect(usable(a, b)).toEqual(['a', 'b']);
        expect(usable(a, b)).toEqual(['b']);
        made.failed(a.identity, cause);
      }
      pass(300_000);
      made.succeeded(a.identity);
      expect(usable(a, b)).toEqual(['a', 'b']);
      expect(usable(a, b)).toEqual(['a', 'b']);
      expect(events.at(-1)).toContain('key-a readmitted');
    },
  );

  it('is not affected by requests that began before', () => {
    const { usable, made, pass } = health();
    made.failed(a.identity, 'key');
    made.succeeded(a.identity);
    expect(usable(a, b)).toEqual(['b']);
    pass(100_000);
    made.failed(a.identity, 'key');
    pass(200_000);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('is back at once when it is changed', () => {
    const { usable, made, events } = health();
    made.failed(a.identity, 'key');
    const changed = target('a', { providerKey: { id: 'key-a', revision: '2' } });
    expect(usable(changed, b)).toEqual(['a', 'b']);
    made.failed(changed.identity, 'key');
    expect(usable(changed, b)).toEqual(['b']);
    expect(events).toHaveLength(2);
  });

  it('is out in its organization alone', () => {
    const { usable, made } = health();
    made.failed(a.identity, 'key');
    const elsewhere = target('a', { organization: 'other' });
    expect(usable(elsewhere, of('other', b))).toEqual(['a', 'b']);
  });

  it.each([
    [20_000, 20_000],
    [3_600_000, 300_000],
    [0, 1000],
    [undefined, 300_000],
  ])('is out for as long as the vendor says, from a second to five minutes: quota, %s ms', (retryAfterMs, ms) => {
    const { usable, made, pass } = health();
    made.failed(a.identity, 'quota', retryAfterMs);
    pass(ms - 1);
    expect(usable(a, b)).toEqual(['b']);
    pass(1);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });
});

describe('a rate limit of a vendor', () => {
  it.each([
    [1500, 1500],
    [3_600_000, 60_000],
    [undefined, 5000],
  ])('applies to the key and the model, for a minute at most: %s ms', (retryAfterMs, ms) => {
    const { usable, made, pass, events } = health();
    made.failed(a.identity, 'rate', retryAfterMs);
    expect(usable(otherModel, b)).toEqual(['a', 'b']);
    expect(usable(target('a', { providerKey: { id: 'second', revision: '1' } }), b)).toEqual(['a', 'b']);
    expect(made.out.limits).toBe(1);
    pass(ms - 1);
    expect(usable(a, b)).toEqual(['b']);
    pass(1);
    // It opens for all at once.
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(made.out.limits).toBe(0);
    expect(events).toEqual([]);
  });

  it('is known in advance from the headers of a success', () => {
    const { usable, made, pass } = health();
    made.succeeded(a.identity);
    made.exhausted(a.identity, 2000);
    made.exhausted(a.identity, 500);
    pass(1999);
    expect(usable(a, b)).toEqual(['b']);
    pass(1);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('leaves no trace when it is over and a request has succeeded', () => {
    const { made, pass } = health();
    const targets = [a, b];
    made.exhausted(a.identity, 2000);
    made.succeeded(a.identity);
    pass(1999);
    expect(made.usable(targets)).toEqual([b]);
    pass(1);
    made.succeeded(a.identity);
    expect(made.usable(targets)).toBe(targets);
  });

  it.each([0, -5, Number.NaN])('without a time to wait leaves nothing out: %s', (ms) => {
    const { usable, made } = health();
    made.exhausted(a.identity, ms);
    made.failed(a.identity, 'rate', ms);
    expect(usable(a, b)).toEqual(['a', 'b']);
    made.exhausted(a.identity, 1000);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('is that of the account before the key was changed', () => {
    const { usable, made } = health();
    made.exhausted(a.identity, 2000);
    expect(usable(target('a', { providerKey: { id: 'key-a', revision: '2' } }), b)).toEqual(['a', 'b']);
  });
});

describe('the revision of a provider key', () => {
  const revision = keyRevision([new Secret('sk-fake-1'), undefined, 'eu-west-1']);

  it('is the same for the same parts', () => {
    expect(keyRevision([new Secret('sk-fake-1'), undefined, 'eu-west-1'])).toBe(revision);
    expect(revision).toMatch(/^[\w-]{22}$/);
  });

  it.each([
    [[new Secret('sk-fake-2'), undefined, 'eu-west-1']],
    [[new Secret('sk-fake-1'), undefined, 'eu-west-2']],
    [[undefined, new Secret('sk-fake-1'), 'eu-west-1']],
    [[new Secret('sk-fake-1'), 'eu-west-1', undefined]],
    [[new Secret('sk-fake-1'), '', 'eu-west-1']],
  ])('differs for other parts (%#)', (parts) => {
    expect(keyRevision(parts)).not.toBe(revision);
  });
});
