// Starts a program in this terminal, as if the user had started it: it gets standard input and output and every signal,
// and its exit code is the command's.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Failure } from './failure.ts';

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** How to install it. */
  readonly install: string;
}

const forwarded = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
/** A terminal sends these to both programs: forwarded, they would arrive twice. */
const fromTerminal: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * @returns the exit code; 128 and the signal's number if a signal ended the program
 * @throws Failure if it cannot be started
 */
export async function launch({ program, args, env, install }: Program): Promise<number> {
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals) => {
    if (!(fromTerminal.includes(signal) && process.stdin.isTTY)) child?.kill(signal);
  };
  // Before the program runs: a signal in between would end this process and leave the program alone.
  for (const signal of forwarded) process.on(signal, forward);
  try {
    const started = spawn(program, args, { env, stdio: 'inherit' });
    child = started;
    return await new Promise<number>((resolve, reject) => {
      started.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(error, program, install)));
      started.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}

function notStarted({ code }: NodeJS.ErrnoException, program: string, install: string): Failure {
  if (code === 'ENOENT') return new Failure('usage', `there is no program ${program} in PATH; install it: ${install}`);
  return new Failure('usage', `the program ${program} cannot be started (${code ?? 'unknown'})`);
}
