// The Python packages of `npm run agents`, in environments of packages that fit together: aider and LlamaIndex want other
// versions of OpenAI's SDK than the rest.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonEnvironment {
  readonly path: string;
  readonly bin: string;
  readonly packages: readonly string[];
  /** Absent where there is no Python, or the registry was out of reach. */
  isInstalled(): boolean;
}

/** Beside the packages from npm, where nothing is committed or checked. */
const folder = join(import.meta.dirname, 'node_modules');

export const environments = {
  sdks: environment('.venv', [
    ...['openai==3.57.0', 'anthropic==2.14.0', 'google-genai==3.6.1', 'openai-agents==0.24.0'],
    ...['boto3==1.44.8', 'langchain-openai==1.7.4', 'pydantic-ai-slim[openai]==2.68.0'],
  ]),
  llamaindex: environment('.venv-llamaindex', ['llama-index-llms-openai-like==0.8.1']),
  aider: environment('.venv-aider', ['aider-chat==0.86.2']),
} as const;

function environment(name: string, packages: readonly string[]): PythonEnvironment {
  const path = join(folder, name);
  return { path, bin: join(path, 'bin'), packages, isInstalled: () => existsSync(join(path, 'installed')) };
}
