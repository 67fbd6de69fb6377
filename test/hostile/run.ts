// The hostile-tenant suite as a command that prints its figures as a table: node test/hostile/run.ts [attack…]
// [--seconds 10] [--hostile 1,3,10] [--out bench/results/<date>-hostile.md]. Exits with 1 when a neighbour was affected
// more than promised.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findServerSource } from '../support/containers.ts';
import { type AttackName, attacks } from './attacks.ts';
import { startNeighbour } from './neighbour.ts';
import { faults, lineOf, type Played, play } from './play.ts';
import { render } from './table.ts';
import { startWorld } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    hostile: { type: 'string', default: '1,3,10' },
    out: { type: 'string' },
  },
});
const names = (Object.keys(attacks) as AttackName[]).filter(
  (name) => positionals.length === 0 || positionals.includes(name),
);
const world = await startWorld({ from: await findServerSource() });
const all: Played[] = [];
try {
  const neighbour = await startNeighbour(world);
  const ms = Number(values.seconds) * 1000;
  for (const name of names) {
    for (const hostile of values.hostile.split(',').map(Number)) {
      const played = await play(neighbour, name, {
        ...{ hostile, quietMs: ms, leadMsMax: 20_000, duringMs: ms },
      });
      all.push(played);
      console.error(lineOf(played));
      for (const fault of faults(played)) console.error(`  ${fault}`);
    }
  }
} finally {
  await world.close();
}
const text = render(all);
if (values.out === undefined) console.log(text);
else writeFileSync(values.out, text);
process.exit(all.every((played) => faults(played).length === 0) ? 0 : 1);
