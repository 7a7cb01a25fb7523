"""What a benchmark over TLS needs: a certificate, the daemon's settings, a client in C."""
import os, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# Filled with the files of `certificate`.
SETTINGS = "http:\n  tls: true\ntls:\n  certificate: {c}\n  private_key: {k}\n"


def certificate(folder):
    """The files of a new certificate for localhost (`c`) and of its key (`k`)."""
    files = {"c": os.path.join(folder, "c.pem"), "k": os.path.join(folder, "k.pem")}
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", files["k"], "-out", files["c"]],
        check=True, capture_output=True)
    return files


def client(folder, name):
    """Compiles NAME.c of this folder; the path of the program."""
    program = os.path.join(folder, name)
    subprocess.run(["gcc", "-O2", "-o", program, os.path.join(HERE, f"{name}.c"), "-lssl",
                    "-lcrypto"], check=True)
    return program
