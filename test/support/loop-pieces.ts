// Loaded in front of a program (`node --import`): measures, in processor time, how much each turn of its event loop takes, and tells the
// longest since it was last asked at SIGUSR2. Processor time, because on a busy machine the clock says more of others than of the program.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_PIECES_FILE;
if (isMainThread && file !== undefined) {
  let last = spentMs();
  let turns: number[] = [];
  const turn = () => {
    const now = spentMs();
    if (now - last > 1) turns.push(now - last);
    last = now;
    setImmediate(turn).unref();
  };
  // A timer keeps the turns coming where nothing else does.
  setInterval(() => undefined, 5).unref();
  setImmediate(turn).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify(turns.toSorted((a, b) => b - a)));
    turns = [];
    last = spentMs();
  });
}

/** What a program is started with to be measured. @param to the file that it tells */
export function measured(to: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${import.meta.filename}`, LOOP_PIECES_FILE: to };
}

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
