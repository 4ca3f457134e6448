"""Verifies an export with somebody else's library: prints the statement's subjects. Arguments: the export, the public key (PEM)."""

import base64
import hashlib
import json
import sys

from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

export, pem = sys.argv[1:]
with open(pem, encoding="ascii") as file:
    der = base64.b64decode("".join(line for line in file.read().splitlines() if "-----" not in line))
# RFC 8410: the key itself is the last 32 bytes.
key = SSlibKey(hashlib.sha256(der).hexdigest(), "ed25519", "ed25519", {"public": der[-32:].hex()})
with open(export, encoding="utf-8") as file:
    envelope = Envelope.from_dict(json.load(file))
envelope.verify([key], 1)
statement = json.loads(envelope.payload)
print(json.dumps([statement["_type"], envelope.payload_type, statement["subject"]]))
