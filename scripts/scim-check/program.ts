// A program with something on its standard input: a token on the command line could be read by every user.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface Program {
  readonly output: Readable;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

export function startProgram(program: string, args: readonly string[], input: string): Program {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return { output: child.stdout, ended: once(child, 'exit').then(([code]) => code) };
}
