"""What LiteLLM makes of chat requests and of vendors' responses. Started by compare.ts; needs litellm in its environment.

Reads one JSON object a line: {"id", "model", "body"}. Each is called with /<id> of the server in SERVER as the vendor; whoever plays
that server sees what is sent. Writes one JSON object a line: {"id", "completion"} or {"id", "error"}.
"""

import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
for name in ("OPENAI", "ANTHROPIC", "GEMINI", "AZURE_AI"):
    os.environ[f"{name}_API_KEY"] = "none"
os.environ.update(AWS_ACCESS_KEY_ID="AKIANONE", AWS_SECRET_ACCESS_KEY="none", AWS_REGION_NAME="eu-west-1")

import litellm  # noqa: E402

litellm.drop_params = True
litellm.suppress_debug_info = True
litellm.telemetry = False


def called(one):
    base = f"{os.environ['SERVER']}/{one['id']}"
    where = {"api_base": base}
    if one["model"].startswith("bedrock/"):
        where = {"aws_bedrock_runtime_endpoint": base}
    try:
        completion = litellm.completion(model=one["model"], num_retries=0, max_retries=0, timeout=20, **where, **one["body"])
        return {"id": one["id"], "completion": completion.model_dump(mode="json")}
    except Exception as error:
        return {"id": one["id"], "error": f"{type(error).__name__}: {error}"[:400]}


for line in sys.stdin:
    print(json.dumps(called(json.loads(line))), flush=True)
