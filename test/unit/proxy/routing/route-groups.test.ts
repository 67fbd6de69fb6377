// The order of a route's groups and what is known of their targets.
import { describe, expect, it } from 'vitest';
import { health, target } from './health.fixture.ts';

const [a, b, c] = [target('a'), target('b'), target('c')];

describe('the targets of a route', () => {
  const names = (made: ReturnType<typeof health>['made'], ...groups: (readonly ReturnType<typeof target>[])[]) =>
    made.usableGroups(groups).map(({ name }) => name);

  it('keep the order of their groups, however slow the first one is', () => {
    const { made, firstTokens } = health();
    firstTokens(20, a, 3000);
    firstTokens(20, b, 100);
    expect(names(made, [a], [b])).toEqual(['a', 'b']);
    expect(names(made, [a, b], [c])).toEqual(['b', 'a', 'c']);
  });

  it('are those of the next group while all of one are out', () => {
    const { made, fail, pass } = health();
    fail(5, a);
    expect(names(made, [a, b], [c])).toEqual(['b', 'c']);
    expect(names(made, [a], [b], [c])).toEqual(['b', 'c']);
    pass(5000);
    expect(names(made, [a], [b])).toEqual(['a', 'b']);
    expect(names(made, [a], [b])).toEqual(['b']);
  });

  it('are the one whose time ends first if all are out', () => {
    const { made, fail, pass } = health();
    fail(5, b);
    pass(1000);
    fail(5, a);
    expect(names(made, [a], [b])).toEqual(['b']);
  });
});
