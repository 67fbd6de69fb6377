"""What Presidio's recognizers and LiteLLM's content filter find in texts. Started by guardrails.ts; asks each package that is there.

Reads one JSON object a line: {"id", "text"}. Writes what answers, with versions, then one JSON object a line:
{"id", "presidio": [{"start", "end", "label"}], "litellm": [...]}. Labels are the gateway's. Presidio's recognizers that need a model of a
language are left out: what they find has no form, and none is compared here. Presidio counts from a score of 0.4 on; of LiteLLM's
patterns those for the same types are asked.
"""

import importlib.util
import json
import logging
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, version

# Presidio looks up a list of domains over the network, and does without it.
logging.disable(logging.CRITICAL)

LABELS = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "PAYMENT_CARD",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP_ADDRESS",
    **{
        name: "NATIONAL_ID"
        for name in ("US_SSN", "UK_NINO", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE", "PL_PESEL", "SE_PERSONNUMMER", "DE_TAX_ID")
    },
}

RECOGNIZERS = (
    "EmailRecognizer",
    "PhoneRecognizer",
    "CreditCardRecognizer",
    "IbanRecognizer",
    "IpRecognizer",
    "UsSsnRecognizer",
    "NhsRecognizer",
    "UkNinoRecognizer",
    "EsNifRecognizer",
    "EsNieRecognizer",
    "ItFiscalCodeRecognizer",
    "PlPeselRecognizer",
    "SePersonnummerRecognizer",
    "DeTaxIdRecognizer",
)

FILTERED = {
    "us_ssn": "NATIONAL_ID",
    "email": "EMAIL",
    "us_phone": "PHONE",
    "credit_card": "PAYMENT_CARD",
    "visa": "PAYMENT_CARD",
    "mastercard": "PAYMENT_CARD",
    "amex": "PAYMENT_CARD",
    "discover": "PAYMENT_CARD",
    "iban": "IBAN",
    "ipv4": "IP_ADDRESS",
    "ipv6": "IP_ADDRESS",
    "aws_access_key": "secrets",
    "aws_secret_key": "secrets",
    "github_token": "secrets",
    "slack_token": "secrets",
    "generic_api_key": "secrets",
}


def version_of(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} is not installed"


def presidio():
    try:
        recognizers = importlib.import_module("presidio_analyzer.predefined_recognizers")
    except ImportError:
        return None
    own = [getattr(recognizers, name)() for name in RECOGNIZERS if hasattr(recognizers, name)]

    def found(text):
        spans = {}
        for recognizer in own:
            for result in recognizer.analyze(text, recognizer.supported_entities, None) or []:
                label = LABELS.get(result.entity_type)
                if label and result.score >= 0.4:
                    spans[(result.start, result.end, label)] = True
        return [{"start": start, "end": end, "label": label} for start, end, label in sorted(spans)]

    return found


def content_filter():
    package = importlib.util.find_spec("litellm")
    if package is None:
        return None
    # The module that compiles them asks for LiteLLM's whole server.
    hooks = "proxy/guardrails/guardrail_hooks/litellm_content_filter/patterns.json"
    with open(os.path.join(package.submodule_search_locations[0], hooks), encoding="utf-8") as file:
        patterns = json.load(file)["patterns"]
    own = [(re.compile(one["pattern"], re.IGNORECASE), FILTERED[one["name"]]) for one in patterns if one["name"] in FILTERED]

    def found(text):
        spans = {(match.start(), match.end(), label) for pattern, label in own for match in pattern.finditer(text)}
        return [{"start": start, "end": end, "label": label} for start, end, label in sorted(spans)]

    return found


asked = {name: found for name, found in (("presidio", presidio()), ("litellm", content_filter())) if found}
print(", ".join(version_of(package) for package in ("presidio-analyzer", "litellm")))
for line in sys.stdin:
    one = json.loads(line)
    print(json.dumps({"id": one["id"], **{name: found(one["text"]) for name, found in asked.items()}}), flush=True)
