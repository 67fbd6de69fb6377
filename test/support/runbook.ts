// docs/runbook.md as an operator on call uses it: its commands by section run in a shell whose kubectl prints the
// collected logs; texts in angle brackets are replaced by matches in the output of earlier commands.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sidecarName } from '../../common/cluster-names.ts';
import { type Gatewayctl, words } from './gatewayctl.ts';
import { projectRoot, startProcess } from './process.ts';

export const runbook = readFileSync(join(projectRoot, 'docs/runbook.md'), 'utf8');

/** Definitions of shell functions that commands use. */
const isDefinition = (line: string) => /^\w+\(\) \{/.test(line);

/** Command lines in order by section; those before the first section belong to "first". */
export const commandsOf: ReadonlyMap<string, readonly string[]> = new Map(
  `## first\n${runbook}`.split(/^## /m).flatMap((section): [string, readonly string[]][] => {
    const [title = '', ...rest] = section.split('\n');
    const lines = [...rest.join('\n').matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
      block.split('\n').map((line) => line.replace(/ {2,}#.*$/, '').trim()),
    );
    const commands = lines.filter((line) => line !== '' && !isDefinition(line));
    return commands.length === 0 ? [] : [[title.trim(), commands]];
  }),
);

const definitions = runbook.split('\n').filter(isDefinition).join('\n');

/** For each "<name>": where its value is in the output of earlier commands. */
export type ExpectedEvidence = Readonly<Record<string, RegExp | string>>;

export interface Shell {
  /** Lines that kubectl prints for a program, including its previous run. */
  collect(
    program: 'egress-gateway' | 'control-plane' | 'control-plane-before' | 'sidecar',
    lines: readonly string[],
  ): void;
  /** Runs the commands of a section. @returns the output of each, whatever its exit code */
  run(section: string, ctl: Gatewayctl, found: ExpectedEvidence): Promise<readonly string[]>;
  remove(): void;
}

const kubectl = `#!/bin/sh
case "$*" in
  *'logs -l app.kubernetes.io/component=egress-gateway '*) cat "$LOGS/egress-gateway" ;;
  *'logs -l app.kubernetes.io/component=control-plane '*) cat "$LOGS/control-plane" ;;
  *'logs deploy/control-plane --previous '*) cat "$LOGS/control-plane-before" ;;
  *' logs '*' -c ${sidecarName}') cat "$LOGS/sidecar" ;;
  *'get pods'*) echo 'there is no cluster here' ;;
  *) echo "kubectl of this test does not know: $*" >&2; exit 1 ;;
esac
`;

export function openShell(): Shell {
  const directory = mkdtempSync(join(tmpdir(), 'runbook-'));
  writeFileSync(join(directory, 'kubectl'), kubectl);
  chmodSync(join(directory, 'kubectl'), 0o755);
  const inShell = async (command: string) => {
    const env = { PATH: `${directory}:${process.env.PATH}`, LOGS: directory };
    const child = startProcess('bash', ['-c', `${definitions}\n${command}`], { env, cwd: directory });
    await child.exited;
    return child.stdout() + child.stderr();
  };
  return {
    collect: (program, lines) => writeFileSync(join(directory, program), lines.join('')),
    run: async (section, ctl, found) => {
      const printed: string[] = [];
      for (const command of commandsOf.get(section) ?? []) {
        const filled = fill(command, printed.join('\n'), found);
        const [program] = filled.split(' ', 1);
        if (program === 'gatewayctl') {
          const { out, err } = await ctl.run(words(filled).slice(1));
          printed.push(out + err);
        } else printed.push(await inShell(filled));
      }
      return printed;
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

function fill(command: string, printed: string, found: ExpectedEvidence): string {
  return command.replace(/<([a-z-]+)>/g, (_whole, name: string) => {
    const source = found[name];
    const value = typeof source === 'string' ? source : source?.exec(printed)?.[1];
    if (value === undefined) throw new Error(`<${name}> is in nothing that was printed before: ${printed}`);
    return value;
  });
}
