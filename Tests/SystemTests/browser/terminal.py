"""`pulsecast watch` on a terminal that a program holds."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time


class Terminal:
    """Runs a command on a terminal of its own and knows what stands on it."""

    def __init__(self, arguments, columns, rows):
        self.near, far = pty.openpty()
        self._size(columns, rows)
        self.process = subprocess.Popen(
            arguments, stdin=far, stdout=far, stderr=far, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(far)
        self.said = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def _size(self, columns, rows):
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self._size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def read(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([self.near], [], [], 0.05)[0]:
                try:
                    self.said += self.decoder.decode(os.read(self.near, 65536))
                except OSError:  # the other end is gone
                    return

    def screen(self):
        """The lines of the newest whole picture."""
        pictures = [each for each in self.said.split("\x1b[H") if "\x1b[J" in each]
        if not pictures:
            return []
        return [re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|\r", "", line) for line in pictures[-1].split("\n")]

    def wait(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition(self.screen()):
            if time.monotonic() > deadline:
                raise TimeoutError("the terminal shows " + "\n".join(self.screen()))
            self.read(0.1)

    def interrupt(self):
        """Ctrl-C; the exit status."""
        os.write(self.near, b"\x03")
        deadline = time.monotonic() + 10
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        self.read(0.2)
        os.close(self.near)
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()


def dots(lines):
    """How many characters of braille with a dot in them."""
    return sum("\u2801" <= letter <= "\u28ff" for line in lines for letter in line)
