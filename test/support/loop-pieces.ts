// Loaded before a program (`node --import`): measures the processor time of each tick of its event loop, and at SIGUSR2
// writes the longest ones since the last signal. It uses processor time because on a busy machine the clock measures
// other programs too.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_PIECES_FILE;
if (isMainThread && file !== undefined) {
  let last = spentMs();
  let loop: number[] = [];
  const turn = () => {
    const now = spentMs();
    if (now - last > 1) loop.push(now - last);
    last = now;
    setImmediate(turn).unref();
  };
  // A timer causes ticks when nothing else does.
  setInterval(() => undefined, 5).unref();
  setImmediate(turn).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify(loop.toSorted((a, b) => b - a)));
    loop = [];
    last = spentMs();
  });
}

/** Arguments for a program that is measured. @param to the file that it writes */
export function measured(to: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${import.meta.filename}`, LOOP_PIECES_FILE: to };
}

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
