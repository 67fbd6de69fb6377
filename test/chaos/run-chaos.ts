// Chaos as a command: npm run chaos -- --minutes 10 --seed 1 [--callers 10] [--failover false] [--recovery 15] [--shrink]
// --logs names a folder that gets the programs' logs. With --shrink, a schedule that fails is made shorter, run by run, as
// long as a fault of the same kind is found; --faults <JSON> repeats one. --plant text or usage
// plants a fault of the gateway, which the verifier has to notice.
import { parseArgs } from 'node:util';
import { parseJson } from '../../common/json.ts';
import { startFromBundles } from '../support/bundles.ts';
import { findServerSource } from '../support/containers.ts';
import { type ChaosReport, type Planted, runChaos } from './run.ts';
import { compact, type Fault } from './schedule.ts';
import { kindOf, kindsOf, shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    proxies: { type: 'string', default: '3' },
    sidecars: { type: 'string', default: '1' },
    callers: { type: 'string', default: '10' },
    recovery: { type: 'string', default: '15' },
    failover: { type: 'string' },
    faults: { type: 'string' },
    plant: { type: 'string' },
    logs: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
});
const shownOfKind = 10;
const seed = Number(values.seed);
const source = await findServerSource();
await startFromBundles();
const run = (faults?: readonly Fault[]): Promise<ChaosReport> =>
  runChaos({
    ...{ source, seed, seconds: 60 * Number(values.minutes), proxies: Number(values.proxies), controlPlanes: 2 },
    sidecars: Number(values.sidecars),
    callers: Number(values.callers),
    recoveryMs: 1_000 * Number(values.recovery),
    // A database is either killed, or it has a standby that is promoted.
    failover: values.failover === undefined ? seed % 2 === 1 : values.failover === 'true',
    disk: true,
    logs: values.logs,
    planted: values.plant as Planted | undefined,
    log: (line) => console.log(line),
    ...(faults && { faults }),
  });
const report = await run(values.faults === undefined ? undefined : (parseJson(values.faults) as readonly Fault[]));
for (const line of report.lines) console.log(line);
for (const of of Map.groupBy(report.faults, kindOf).values()) {
  for (const fault of of.slice(0, shownOfKind)) console.log(`FAULT: ${fault}`);
  if (of.length > shownOfKind) console.log(`and ${of.length - shownOfKind} more like the last`);
}
console.log(report.faults.length === 0 ? 'every promise is kept' : `${report.faults.length} FAULTS`);
if (values.shrink && report.faults.length > 0) {
  const kinds = kindsOf(report.faults);
  let runs = 0;
  const fails = async (some: readonly Fault[]) => {
    const found = await run(compact(some));
    // Another fault, of a busy machine perhaps, would lead elsewhere.
    const same = found.faults.filter((fault) => !kindsOf([fault]).isDisjointFrom(kinds));
    console.log(`run ${++runs}: ${some.length} of ${report.schedule.length} faults ${same[0] ?? 'pass'}`);
    if (same.length > 0) console.log(`--faults '${JSON.stringify(compact(some))}'`);
    return same.length > 0;
  };
  const shortest = await shrink(report.schedule, fails);
  console.log(`after ${runs} runs the shortest schedule that fails has ${shortest.length} faults:`);
  console.log(`--faults '${JSON.stringify(compact(shortest))}'`);
}
process.exit(report.faults.length === 0 ? 0 : 1);
