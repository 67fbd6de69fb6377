// deploy/Dockerfile as stages with their instructions, and the start configuration of its images.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';
import { projectRoot } from './process.ts';

export interface Stage {
  readonly name: string;
  /** A stage's name or an image, with build arguments filled in. */
  readonly from: string;
  readonly instructions: readonly StageInstruction[];
}

export interface StageInstruction {
  readonly keyword: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The words after the flags, or the strings of the exec form. */
  readonly words: readonly string[];
  readonly isExecForm: boolean;
  /** The text after the keyword, unchanged. */
  readonly text: string;
}

/** The start configuration of a container of the image, unless it is overridden. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly directory: string;
}

export function readDockerfile(): readonly Stage[] {
  return parseStages(readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8'));
}

export function parseStages(text: string): readonly Stage[] {
  const file = DockerfileParser.parse(text);
  const stages: { name: string; from: string; instructions: StageInstruction[] }[] = [];
  const given = new Map<string, string>();
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const [image = '', , name = ''] = instruction.getArguments().map((argument) => argument.getValue());
      stages.push({ name, from: filled(image, given), instructions: [] });
    } else if (stages.length === 0 && keyword === 'ARG') {
      const [name = '', value = ''] = (instruction.getArgumentsContent() ?? '').split('=');
      given.set(name, value);
    } else {
      stages.at(-1)?.instructions.push(readInstruction(instruction));
    }
  }
  return stages;
}

/** A stage's instructions after those of the stages that it is based on. @throws Error if there is no such stage */
export function inheritedInstructions(stages: readonly Stage[], name: string): readonly StageInstruction[] {
  const stage = stages.find((one) => one.name === name);
  if (stage === undefined) throw new Error(`deploy/Dockerfile has no stage ${name}`);
  const isStage = stages.some((one) => one.name === stage.from);
  return [...(isStage ? inheritedInstructions(stages, stage.from) : []), ...stage.instructions];
}

/** @throws Error if there is no such target */
export function imageConfig(target: string): ImageConfig {
  const instructions = inheritedInstructions(readDockerfile(), target);
  const last = (keyword: string) => instructions.findLast((one) => one.keyword === keyword)?.words ?? [];
  const environment = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ words }) => words.map((word) => word.split('=') as [string, string]));
  return {
    entrypoint: last('ENTRYPOINT'),
    command: last('CMD'),
    environment: Object.fromEntries(environment),
    user: last('USER')[0] ?? '',
    directory: last('WORKDIR')[0] ?? '/',
  };
}

function readInstruction(instruction: Instruction): StageInstruction {
  const json = 'getJSONStrings' in instruction ? (instruction as JSONInstruction) : undefined;
  const strings = json?.getJSONStrings().map((one) => one.getJSONValue()) ?? [];
  const words = instruction.getArguments().map((argument) => argument.getValue());
  const flags = json?.getFlags().map((flag): [string, string] => [flag.getName(), flag.getValue() ?? '']);
  return {
    keyword: instruction.getKeyword(),
    flags: Object.fromEntries(flags ?? []),
    words: strings.length > 0 ? strings : words,
    isExecForm: strings.length > 0,
    text: instruction.getArgumentsContent() ?? '',
  };
}

function filled(text: string, given: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => given.get(name) ?? whole);
}
