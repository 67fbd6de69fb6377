// Input and output of a command besides the server. Standard output gets only the result, standard error all messages
// to the user; prompts are shown only if there is a terminal.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { Failure, usageMistake } from './failure.ts';

export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Whether a user can respond to prompts. */
  readonly interactive: boolean;
  /** Writes unchanged to standard output; resolves when there is room for more. */
  out(chunk: string | Uint8Array): Promise<void>;
  /** Writes a line to standard error. */
  say(line: string): void;
  /** All of standard input. */
  input(): Promise<string>;
  /** The same as a stream. */
  inputStream(): AsyncIterable<Uint8Array>;
  /** Prompts on the terminal. */
  ask(question: string): Promise<string>;
  /** Prompts on the terminal without showing the input. */
  askHidden(question: string): Promise<string>;
}

export function processIo(): Io {
  // A reader that stops early, such as head, is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    out: async (chunk) => {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    },
    say: (line) => void process.stderr.write(`${line}\n`),
    input: () => text(process.stdin),
    inputStream: () => process.stdin,
    ask: async (question) => {
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question);
      } catch {
        throw new Failure('interrupted', 'interrupted');
      } finally {
        lines.close();
      }
    },
    askHidden: (question) => askHidden(process.stdin, question),
  };
}

const [interrupt, endOfInput, backspace, deletion] = ['\u0003', '\u0004', '\b', '\u007f'];

/** In raw mode the terminal echoes nothing, and Ctrl-C arrives as a character. */
async function askHidden(terminal: ReadStream, question: string): Promise<string> {
  if (!terminal.isTTY) throw usageMistake('there is no terminal for the prompt');
  // Before the prompt, because text that is typed right after it must not be echoed.
  terminal.setRawMode(true).setEncoding('utf8').resume();
  try {
    process.stderr.write(question);
    return await typedLine(terminal);
  } finally {
    terminal.setRawMode(false).pause();
    process.stderr.write('\n');
  }
}

async function typedLine(terminal: ReadStream): Promise<string> {
  let typed = '';
  for (;;) {
    const [chunk] = await once(terminal, 'data');
    for (const letter of String(chunk)) {
      if (letter === interrupt) throw new Failure('interrupted', 'interrupted');
      if (letter === '\r' || letter === '\n' || letter === endOfInput) return typed;
      typed = letter === backspace || letter === deletion ? typed.slice(0, -1) : typed + letter;
    }
  }
}

/** Text of a file, or of standard input for "-". @throws Failure */
export async function readGiven(file: string, io: Io): Promise<string> {
  if (file === '-') return await io.input();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw usageMistake(`the file ${file} cannot be read (${code})`);
  }
}
