// What cannot be undone is asked about: on a terminal; where there is none, --yes has to be said.
import type { Invocation, MethodCommand } from './command.ts';
import { Failure, usageMistake } from './failure.ts';
import { printable } from './table.ts';

/** @throws Failure unless it is confirmed */
export async function confirm({ asks }: Pick<MethodCommand, 'asks'>, invocation: Invocation): Promise<void> {
  if (asks === undefined || invocation.options.yes === true) return;
  const { io, given } = invocation;
  const texts = new Map(
    [...given].map(([{ flags }, value]) => [flags.replace(/[<>[\]]/g, ''), String(value)]),
  );
  const question = asks.replace(/\{([^}]+)\}/g, (_all, name: string) => printable(texts.get(name) ?? 'it'));
  if (!io.interactive) throw usageMistake(`this cannot be undone, so it needs --yes: ${question}`);
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('refused', 'not confirmed; nothing was done');
}
