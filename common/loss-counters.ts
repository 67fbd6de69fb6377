// Options of the counters of what every program drops rather than fail by it, for its own prom-client.
import { acceptFailuresCounter } from './listen.ts';
import { lostLinesCounter } from './logger.ts';

export function lossCounters<Registry>(registers: Registry[]) {
  return [lostLinesCounter(registers), acceptFailuresCounter(registers)];
}
