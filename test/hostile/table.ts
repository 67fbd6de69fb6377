// The figures of the suite as a table, with the promised values beside the measured ones.
import { cpus, loadavg } from 'node:os';
import { table } from '../bench/markdown.ts';
import { attacks } from './attacks.ts';
import { works } from './neighbour.ts';
import { faults, type Played } from './play.ts';

const head = [
  ...['resource', 'attack', 'hostile tenants', 'neighbour', 'success', 'p50 quiet → during, ms'],
  ...['p99 quiet → during, ms', 'bound', 'refused', 'used at most', 'longest tick, ms: proxy', 'control plane'],
];

export function render(all: readonly Played[]): string {
  const [{ model = 'unknown' } = {}] = cpus();
  const load = loadavg().map((one) => one.toFixed(0));
  const kept = all.filter((one) => faults(one).length === 0).length;
  return [
    `# Hostile tenants, ${new Date().toISOString().slice(0, 10)}`,
    '',
    `${model}, ${cpus().length} cores, Node ${process.version}; load of the machine at the end ${load.join(', ')}. ` +
      `${kept} of ${all.length} within 99.9 % and p99 ≤ 2 × quiet + 10 ms.`,
    '',
    'A tick is measured in processor time of the main thread and may consist of several pieces of work. Where p99 is above its bound the row says so in bold.',
    '',
    ...table(head, all.map(row)),
    '',
  ].join('\n');
}

function row(played: Played): readonly string[] {
  const { attack, during, hostile, loops, quiet, refused, used } = played;
  const { about, neighbour, resource } = attacks[attack];
  const bound = 2 * quiet.p99Ms + 10;
  const p99 = `${quiet.p99Ms.toFixed(1)} → ${during.p99Ms.toFixed(1)}`;
  return [
    ...[`\`${resource}\``, about, String(hostile), works[neighbour].about],
    `${during.succeeded} of ${during.requested}`,
    `${quiet.p50Ms.toFixed(1)} → ${during.p50Ms.toFixed(1)}`,
    during.p99Ms > bound ? `**${p99}**` : p99,
    bound.toFixed(0),
    ...[String(refused), used.toFixed(2)],
    ...[loops.proxy.tickMs.toFixed(1), loops.controlPlane.tickMs.toFixed(1)],
  ];
}
