// The hostile-tenant suite as a command: node test/hostile/run.ts [attack…] [--seconds 10] [--hostile 1,3,10]
import { parseArgs } from 'node:util';
import { findServerSource } from '../support/containers.ts';
import { type AttackName, attacks } from './attacks.ts';
import { startNeighbour } from './neighbour.ts';
import { faults, lineOf, play } from './play.ts';
import { startWorld } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    hostile: { type: 'string', default: '1,3,10' },
  },
});
const names = (Object.keys(attacks) as AttackName[]).filter(
  (name) => positionals.length === 0 || positionals.includes(name),
);
const world = await startWorld({ from: await findServerSource() });
let faulty = 0;
try {
  const neighbour = await startNeighbour(world);
  const ms = Number(values.seconds) * 1000;
  for (const name of names) {
    for (const hostile of values.hostile.split(',').map(Number)) {
      const played = await play(neighbour, name, {
        hostile,
        quietMs: ms / 2,
        leadMsMax: 20_000,
        duringMs: ms,
      });
      console.log(lineOf(played));
      for (const fault of faults(played)) console.log(`  FAULT: ${fault}`);
      faulty += faults(played).length > 0 ? 1 : 0;
    }
  }
} finally {
  await world.close();
}
process.exit(faulty === 0 ? 0 : 1);
