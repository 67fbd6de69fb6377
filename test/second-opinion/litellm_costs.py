# What LiteLLM says that responses of vendors cost: its own transformers read them, its own calculator prices them.
# Reads cases as lines of JSON, writes one line for each: its id with the cost in USD, or with why there is none.
import json
import os
import sys
from unittest.mock import MagicMock

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import httpx
import litellm
from litellm.llms.anthropic.chat.transformation import AnthropicConfig
from litellm.llms.bedrock.chat.converse_transformation import AmazonConverseConfig
from litellm.llms.gemini.chat.transformation import GoogleAIStudioGeminiConfig
from litellm.llms.openai.chat.gpt_transformation import OpenAIGPTConfig

litellm.suppress_debug_info = True
configs = {
    "openai": OpenAIGPTConfig(),
    "azure": OpenAIGPTConfig(),
    "azure_ai": OpenAIGPTConfig(),
    "anthropic": AnthropicConfig(),
    "bedrock": AmazonConverseConfig(),
    "gemini": GoogleAIStudioGeminiConfig(),
}


def cost_of(case):
    theirs, model, asked = case["theirs"], case["model"], case["asked"]
    region = case.get("region")
    data_residency = region if theirs == "openai" else None
    name = f"{region}/{model}" if region and theirs == "azure" and f"azure/{region}/{model}" in litellm.model_cost else model
    raw = httpx.Response(200, json=case["response"], headers=case.get("head", {}), request=httpx.Request("POST", "https://vendor.example"))
    logging_obj = MagicMock()
    logging_obj.optional_params = dict(asked)
    response = configs[theirs].transform_response(
        model=name,
        raw_response=raw,
        model_response=litellm.ModelResponse(),
        logging_obj=logging_obj,
        request_data={},
        messages=[{"role": "user", "content": "Hello"}],
        optional_params=dict(asked),
        litellm_params={},
        encoding=None,
        api_key="key",
        json_mode=False,
    )
    response.model = name
    return litellm.completion_cost(
        completion_response=response,
        model=name,
        custom_llm_provider=theirs,
        optional_params=dict(asked),
        data_residency=data_residency,
    )


print(json.dumps({"version": __import__("importlib.metadata").metadata.version("litellm")}))
for line in sys.stdin:
    case = json.loads(line)
    try:
        print(json.dumps({"id": case["id"], "cost": repr(cost_of(case))}))
    except Exception as error:  # noqa: BLE001 – whatever it cannot price is a row of the table
        print(json.dumps({"id": case["id"], "failed": f"{type(error).__name__}: {error}"[:300]}))
