// Attacks by one hostile tenant on one resource after another, for a few seconds each: its neighbour does not notice.
// Only resources that are exhausted within seconds beside other tests are included; run.ts covers all of them, for
// longer, with three and with ten tenants. Times may be ten times the promised ones here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackName, attacks } from './attacks.ts';
import { type Neighbour, startNeighbour } from './neighbour.ts';
import { faults, lineOf, play } from './play.ts';
import { resources } from './resources.ts';
import { startWorld, type World } from './world.ts';

describe('the table of attacks', () => {
  const attacked = Object.values(attacks).map(({ resource }) => resource);

  it('has an attack for each resource with shares', () => {
    expect(resources.filter((resource) => !attacked.includes(resource))).toEqual([]);
  });

  it('has no attack for a resource that was removed', () => {
    expect(attacked.filter((resource) => !resources.includes(resource))).toEqual([]);
  });
});

const brief = [
  ...['waiting_requests', 'unread_streams', 'fast_streams', 'many_members', 'slow_pattern', 'made_up_keys'],
  ...['changes_in_a_loop', 'downloads_in_a_loop', 'three_slow_patterns', 'made_up_tokens'],
] as const satisfies readonly AttackName[];

describe('a hostile tenant', () => {
  let world: World;
  let neighbour: Neighbour;

  beforeAll(async () => {
    world = await startWorld();
    neighbour = await startNeighbour(world);
  });
  afterAll(() => world?.close());

  it.each(brief)('with %s does not affect its neighbour', async (name) => {
    const played = await play(neighbour, name, {
      hostile: 1,
      ...{ quietMs: 400, leadMsMax: 20_000, duringMs: 800 },
    });
    console.log(lineOf(played));
    expect(faults(played, 10)).toEqual([]);
  });
});
