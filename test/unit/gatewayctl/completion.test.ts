// Completion, tested in a real bash.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tree } from '../../../gatewayctl/commands/index.ts';
import { completionScript } from '../../../gatewayctl/completion.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gatewayctl-completion-'));
  writeFileSync(join(directory, 'gatewayctl.bash'), completionScript('bash', tree) ?? '');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Returns the words that bash offers for the last word of a line. */
function offered(line: string): string[] {
  const typed = line.split(' ');
  const script = [
    'source ./gatewayctl.bash',
    // Instead of the program, which has no server here. There are no systems.
    `gatewayctl() { case "$*" in`,
    `'complete key') printf 'key-one\\nkey two\\n' ;; 'complete person') echo ada ;; 'complete organization') echo acme ;;`,
    '*) echo "no such kind" >&2; return 1 ;; esac; }',
    `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${typed.length - 1}`,
    '_gatewayctl',
    'for word in "$'.concat('{COMPREPLY[@]}"; do echo "$word"; done'),
  ].join('\n');
  const response = execFileSync('bash', ['--norc', '-c', script], { cwd: directory, encoding: 'utf8' });
  return response.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it('completes resources and commands', () => {
    expect(offered('gatewayctl provider')).toEqual(['provider-keys', 'providers']);
    expect(offered('gatewayctl keys r')).toEqual(['rotate', 'revoke']);
    expect(offered('gatewayctl login ')).toEqual(['--console', '--device']);
  });

  it('completes options of the command and of all commands', () => {
    expect(offered('gatewayctl keys create --s')).toEqual([
      '--system',
      '--server',
      '--service-account',
      '--server-name',
    ]);
    expect(offered('gatewayctl keys create checkout --jso')).toEqual(['--json']);
  });

  it('completes values of a fixed set', () => {
    expect(offered('gatewayctl people create Ada --role a')).toEqual(['admin']);
    expect(offered('gatewayctl keys update checkout --active ')).toEqual(['true', 'false']);
    expect(offered('gatewayctl limits create b')).toEqual(['budget']);
    expect(offered('gatewayctl completion z')).toEqual(['zsh']);
  });

  it('completes files after options that expect a file', () => {
    expect(offered('gatewayctl provider-keys create gpt-provider main --secret-file gate')).toEqual([
      'gatewayctl.bash',
    ]);
  });

  it('ignores common options and their values', () => {
    expect(offered('gatewayctl --organization keys people l')).toEqual(['list']);
    expect(offered('gatewayctl -o login keys l')).toEqual(['list']);
    expect(offered('gatewayctl --json keys l')).toEqual(['list']);
  });

  it('completes names, which the program itself prints, also with spaces', () => {
    expect(offered('gatewayctl keys get ')).toEqual(expect.arrayContaining(['key-one', 'key\\ two']));
    expect(offered('gatewayctl keys get key-')).toEqual(['key-one']);
    expect(offered('gatewayctl usage totals --person a')).toEqual(['ada']);
    expect(offered('gatewayctl --organization a')).toEqual(['acme']);
    expect(offered('gatewayctl keys create --system ')).toEqual([]);
  });

  it('completes the forms of output', () => {
    expect(offered('gatewayctl keys list -o ')).toEqual(['table', 'json', 'yaml', 'csv', 'name']);
    expect(offered('gatewayctl keys list -o y')).toEqual(['yaml']);
  });

  it('completes every command under every name', () => {
    for (const { name, aliases = [], commands } of tree.resources)
      for (const one of [name, ...aliases]) expect(offered(`gatewayctl ${one} `)).toEqual(Object.keys(commands));
  });
});

it('is generated for zsh through its bash functions, and for fish command by command', () => {
  expect(completionScript('zsh', tree)).toMatch(/^#compdef gatewayctl\nautoload -U \+X bashcompinit/);
  const fish = completionScript('fish', tree) ?? '';
  for (const { name, commands } of tree.resources)
    for (const command of Object.keys(commands))
      expect(fish).toMatch(new RegExp(`seen_subcommand_from ${name}; .*-a ${command} -d '`));
  expect(fish.split('\n').filter((line) => !/^(complete -c gatewayctl |#|$)/.test(line))).toEqual([]);
  expect(fish.split('\n').filter((line) => (line.match(/(?<!\\)'/g) ?? []).length % 2 !== 0)).toEqual([]);
});

it('is not generated for other shells', () => {
  expect(completionScript('tcsh', tree)).toBeUndefined();
});
