import { describe, expect, it } from 'vitest';
import { PairMap } from '../../../../proxy/routing/pair-map.ts';
import { health, of, target } from './health.fixture.ts';

const [a, b, c] = [target('a'), target('b'), target('c')];

describe('a target with slow first tokens', () => {
  it('comes behind its peers, and is not left out', () => {
    const { usable, firstTokens } = health();
    firstTokens(8, a, 901);
    firstTokens(8, b, 300);
    expect(usable(a, b)).toEqual(['b', 'a']);
    firstTokens(16, a, 900);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('is compared with the median of the others', () => {
    const { usable, firstTokens } = health();
    firstTokens(8, a, 2251);
    firstTokens(8, b, 500);
    firstTokens(8, c, 1000);
    expect(usable(a, b, c)).toEqual(['b', 'c', 'a']);
    firstTokens(16, c, 5000);
    expect(usable(a, b, c)).toEqual(['a', 'b', 'c']);
  });

  it('is not slow at three times their median', () => {
    const { usable, firstTokens } = health();
    firstTokens(8, a, 900);
    firstTokens(8, b, 100);
    firstTokens(8, c, 500);
    expect(usable(a, b, c)).toEqual(['a', 'b', 'c']);
    firstTokens(16, a, 901);
    expect(usable(a, b, c)[0]).toBe('b');
  });

  it('is not slow because of a few requests long ago', () => {
    const { usable, firstTokens, pass } = health();
    firstTokens(7, a, 9000);
    pass(30_001);
    firstTokens(7, a, 9000);
    firstTokens(16, b, 300);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('is not slow because of a few requests', () => {
    const { usable, firstTokens } = health();
    firstTokens(7, a, 9000);
    firstTokens(16, b, 300);
    expect(usable(a, b)).toEqual(['a', 'b']);
    firstTokens(9, a, 300);
    firstTokens(7, a, 60_000);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('is tried by one request in half a minute, whose time replaces the old ones', () => {
    const { usable, firstTokens, pass } = health();
    firstTokens(16, a, 2000);
    firstTokens(16, b, 300);
    pass(30_000);
    expect(usable(a, b)).toEqual(['b', 'a']);
    pass(1);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['b', 'a']);
    firstTokens(1, a, 2000);
    expect(usable(a, b)).toEqual(['b', 'a']);
    pass(30_001);
    expect(usable(a, b)).toEqual(['a', 'b']);
    firstTokens(1, a, 200);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('keeps its old time no longer than others need it', () => {
    const { usable, firstTokens, pass } = health();
    firstTokens(16, b, 2000);
    pass(30_001);
    firstTokens(16, a, 300);
    firstTokens(16, c, 300);
    expect(usable(a, b, c)).toEqual(['a', 'b', 'c']);
    firstTokens(1, b, 2000);
    expect(usable(a, b, c)).toEqual(['a', 'c', 'b']);
  });

  it('is slow for its organization alone', () => {
    const { usable, firstTokens } = health();
    firstTokens(16, a, 2000);
    firstTokens(16, b, 300);
    expect(usable(of('other', a), of('other', b))).toEqual(['a', 'b']);
  });

  it('is usable when the fast one is left out', () => {
    const { usable, firstTokens, fail } = health();
    firstTokens(16, a, 2000);
    firstTokens(16, b, 300);
    fail(5, b);
    expect(usable(a, b)).toEqual(['a']);
  });
});

describe('a map of two keys', () => {
  it('drops the entry that was used least recently', () => {
    const map = new PairMap<string>(2);
    map.use('a', '1', () => 'a1');
    map.use('a', '2', () => 'a2');
    expect(map.use('a', '1', () => 'other')).toBe('a1');
    map.use('b', '1', () => 'b1');
    expect([...map.values()]).toEqual(['a1', 'b1']);
    expect([map.get('a', '1'), map.get('a', '2'), map.get('b', '1'), map.get('c', '1')]).toEqual([
      'a1',
      undefined,
      'b1',
      undefined,
    ]);
    expect(map.size).toBe(2);
  });

  it('forgets what is deleted', () => {
    const map = new PairMap<string>(2);
    map.use('a', '1', () => 'a1');
    map.delete('a', '1');
    map.delete('a', '1');
    map.delete('b', '1');
    expect(map.size).toBe(0);
    expect(map.get('a', '1')).toBeUndefined();
  });
});
