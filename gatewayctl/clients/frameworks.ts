// Frameworks. Most of them know models by their vendors' names, so each block takes the way that accepts any name.
import type { ClientRow } from './client.ts';
import { js, openAiEnvironment, python, quoted, single } from './sdks.ts';

export const frameworks = {
  'vercel-ai': {
    title: 'Vercel AI SDK',
    format: 'Responses',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: 'Its Anthropic provider wants `/v1` in `ANTHROPIC_BASE_URL`, where the vendor’s SDK must not have it: the gateway serves `/messages` for it too.',
    blocks: (wish) => [
      openAiEnvironment(wish),
      js(
        `import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const gateway = createOpenAI();
const { text } = await generateText({ model: gateway(${single(wish.model)}), prompt: 'Hello' });
console.log(text);
`,
      ),
    ],
  },
  langchain: {
    title: 'LangChain',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: (wish) => [
      openAiEnvironment(wish),
      python(
        `from langchain_openai import ChatOpenAI

model = ChatOpenAI(model=${quoted(wish.model)})
print(model.invoke("Hello").content)
`,
      ),
    ],
  },
  llamaindex: {
    title: 'LlamaIndex',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: 'Its class `OpenAI` refuses names that it does not know; `OpenAILike` takes any.',
    blocks: ({ url, model, keyName }) => [
      python(
        `import os

from llama_index.llms.openai_like import OpenAILike

model = OpenAILike(
    model=${quoted(model)},
    api_base=${quoted(`${url}/v1`)},
    api_key=os.environ[${quoted(keyName)}],
    is_chat_model=True,
    is_function_calling_model=True,
)
print(model.complete("Hello").text)
`,
      ),
    ],
  },
  'openai-agents': {
    title: 'OpenAI Agents SDK for Python',
    format: 'Responses',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: 'By default it sends traces with the key to its vendor, and reads `provider/` in a name as a provider of its own: the model is given as an object.',
    blocks: (wish) => [
      openAiEnvironment(wish),
      python(
        `from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
model = OpenAIResponsesModel(model=${quoted(wish.model)}, openai_client=AsyncOpenAI())
result = Runner.run_sync(Agent(name="Assistant", model=model), "Hello")
print(result.final_output)
`,
      ),
    ],
  },
  'pydantic-ai': {
    title: 'Pydantic AI',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: ({ url, model, keyName }) => [
      python(
        `import os

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=${quoted(`${url}/v1`)}, api_key=os.environ[${quoted(keyName)}])
agent = Agent(OpenAIChatModel(${quoted(model)}, provider=provider))
print(agent.run_sync("Hello").output)
`,
      ),
    ],
  },
} as const satisfies Record<string, ClientRow>;
