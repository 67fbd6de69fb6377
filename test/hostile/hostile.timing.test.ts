// Resources in turn, with one hostile tenant, for a few seconds: its neighbour notices nothing. Those that are exhausted within seconds beside
// other tests; run.ts does the same for all, for longer, with three and with ten. Times are held against ten times what is promised.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackName, attacks } from './attacks.ts';
import { type Neighbour, startNeighbour } from './neighbour.ts';
import { faults, lineOf, play } from './play.ts';
import { resources } from './resources.ts';
import { startWorld, type World } from './world.ts';

describe('the table of attacks', () => {
  const attacked = Object.values(attacks).map(({ resource }) => resource);

  it('has one for each resource of which there are shares', () => {
    expect(resources.filter((resource) => !attacked.includes(resource))).toEqual([]);
  });

  it('has none for a resource that is gone', () => {
    expect(attacked.filter((resource) => !resources.includes(resource))).toEqual([]);
  });
});

const brief = [
  ...['held_requests', 'unread_streams', 'fast_streams', 'many_members', 'slow_pattern', 'made_up_keys'],
  ...['changes_in_a_loop', 'downloads_in_a_loop', 'three_slow_patterns', 'made_up_tokens'],
] as const satisfies readonly AttackName[];

describe('a hostile tenant', { timeout: 120_000 }, () => {
  let world: World;
  let neighbour: Neighbour;

  beforeAll(async () => {
    world = await startWorld();
    neighbour = await startNeighbour(world);
  }, 180_000);
  afterAll(() => world?.close());

  it.each(brief)('with %s takes nothing from its neighbour', async (name) => {
    const played = await play(neighbour, name, {
      hostile: 1,
      ...{ quietMs: 500, leadMsMax: 20_000, duringMs: 1_000 },
    });
    console.log(lineOf(played));
    expect(faults(played, 10)).toEqual([]);
  });
});
