"""Verifies an export with somebody else's library: prints the statement's subjects. Arguments: the export, the public keys (PEM)."""

import base64
import hashlib
import json
import sys

from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

export, pem = sys.argv[1:]
with open(pem, encoding="ascii") as file:
    blocks = [block.split("-----")[0] for block in file.read().split("-----BEGIN PUBLIC KEY-----")[1:]]
ders = [base64.b64decode(block) for block in blocks]
# RFC 8410: the key itself is the last 32 bytes.
keys = [SSlibKey(hashlib.sha256(der).hexdigest(), "ed25519", "ed25519", {"public": der[-32:].hex()}) for der in ders]
with open(export, encoding="utf-8") as file:
    envelope = Envelope.from_dict(json.load(file))
envelope.verify(keys, 1)
statement = json.loads(envelope.payload)
print(json.dumps([statement["_type"], envelope.payload_type, statement["subject"]]))
