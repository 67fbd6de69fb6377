// Parses the command line, runs one command, and turns an error into one sentence and an exit code.
import { CallFailure } from './call-failure.ts';
import type { Command, Invocation } from './command.ts';
import { tree } from './commands/index.ts';
import { explain } from './explain.ts';
import { exitCodes, Failure, withoutCredentials } from './failure.ts';
import { type Io, processIo } from './io.ts';
import { runMethod } from './method-command.ts';
import { type Parsed, ParserEnd, parseCommandLine } from './program.ts';
import { openSession, type Session } from './session.ts';

/** @returns the exit code */
export async function runGatewayctl(args: readonly string[], io: Io = processIo()): Promise<number> {
  const printed: string[] = [];
  try {
    const output = {
      out: (text: string) => void printed.push(text),
      err: (text: string) => sayText(io, text),
    };
    return await runParsed(await parseCommandLine(args, tree, output), io);
  } catch (error) {
    if (!(error instanceof ParserEnd)) throw error;
    for (const text of printed) await io.out(text);
    return exitCodes[error.isMistake ? 'usage' : 'done'].code;
  }
}

async function runParsed({ command, options, given, rest, warning }: Parsed, io: Io): Promise<number> {
  if (warning !== undefined) sayText(io, `gatewayctl: ${warning}`);
  let opened: Promise<Session> | undefined;
  const session = () => {
    opened ??= openSession(options, io);
    return opened;
  };
  const invocation: Invocation = {
    io,
    tree,
    options,
    given,
    rest,
    session,
    client: async () => await (await session()).client(),
  };
  try {
    const code = 'run' in command ? await command.run(invocation) : await runMethod(command, invocation);
    return code ?? exitCodes.done.code;
  } catch (error) {
    const failure = await failureOf(error, command, opened);
    sayText(io, `gatewayctl: ${failure.message}`);
    return exitCodes[failure.ending].code;
  } finally {
    await opened?.then((one) => one.close()).catch(() => undefined);
  }
}

async function failureOf(error: unknown, command: Command, opened: Promise<Session> | undefined): Promise<Failure> {
  if (error instanceof Failure) return error;
  if (!(error instanceof CallFailure) || opened === undefined) {
    const what = error instanceof Error ? error.message : String(error);
    return new Failure('fault', `this is a fault of this program: ${what}`);
  }
  const { target } = await opened;
  return explain(error, target, [...(command.arguments ?? []), ...(command.options ?? [])]);
}

function sayText(io: Io, text: string): void {
  io.say(withoutCredentials(text).trimEnd());
}
