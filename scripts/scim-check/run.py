# Runs scim2-tester against a SCIM server and prints its results as a line of JSON each.
import json
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

url, token = sys.argv[1], sys.stdin.read().strip()
http = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
for result in check_server(SyncSCIMClient(http)):
    print(
        json.dumps(
            {"status": result.status.name, "title": result.title, "reason": str(result.reason)[:2000]}
        )
    )
