"""Envelopes of assay before securesystemslib and in-toto-attestation, and an envelope of theirs for ours.

usage: python3 oracle.py FOLDER     FOLDER holds ed25519.* and p256.* as bench/envelope-oracles.ts writes them
"""
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

folder = Path(sys.argv[1])
for kind in ("ed25519", "p256"):
    content = json.loads((folder / f"{kind}.dsse.json").read_text())
    public = load_pem_public_key((folder / f"{kind}.pem").read_bytes())
    key = SSlibKey.from_crypto(public, keyid=content["signatures"][0]["keyid"])
    Envelope.from_dict(content).verify([key], 1)
    changed = json.loads(json.dumps(content))
    changed["payloadType"] = "text/plain"
    try:
        Envelope.from_dict(changed).verify([key], 1)
        raise SystemExit(f"securesystemslib accepts a changed {kind} envelope")
    except Exception as error:  # noqa: BLE001
        if isinstance(error, SystemExit):
            raise
    endorsement = Envelope.from_dict(json.loads((folder / f"{kind}.endorsement.json").read_text()))
    endorsement.verify([key], 1)
    print(f"securesystemslib accepts the {kind} envelope and endorsement and refuses a changed one")
payload = Envelope.from_dict(json.loads((folder / "ed25519.dsse.json").read_text())).payload
from google.protobuf.json_format import Parse
from in_toto_attestation.v1.statement_pb2 import Statement as StatementPb

statement = Statement.copy_from_pb(Parse(payload.decode(), StatementPb()))
statement.validate()
print("in-toto-attestation reads and validates the statement")
signer = CryptoSigner.generate_ed25519()
theirs = Envelope(payload, "application/vnd.in-toto+json", {})
theirs.sign(signer)
(folder / "theirs.dsse.json").write_text(json.dumps(theirs.to_dict()))
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

(folder / "theirs.pem").write_text(signer.public_key.keyval["public"] if "BEGIN" in signer.public_key.keyval["public"] else signer._private_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())
print("securesystemslib signed the same statement for us")
