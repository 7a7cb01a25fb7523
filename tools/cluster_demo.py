"""`tools/cluster demo`: a race over three nodes, and a page on loopback that breaks them."""
import asyncio, json, os, signal, subprocess, urllib.parse

from cluster_balancer import Balancer
from cluster_nodes import Cluster, end_with_parent, free_ports

PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Cluster</title>
<style>body{font:16px system-ui;margin:2em}td,th{padding:.3em 1em;text-align:left}
button{font:inherit;margin-right:.3em}.serves{font-weight:bold}</style>
<h1>Cluster</h1><p><a href="LINK" target=_blank>The race</a>, by the balancer</p>
<table><thead><tr><th>name<th>state<th>faults</thead><tbody></tbody></table>
<p id=said></p><script>
const body = document.querySelector("tbody"), said = document.querySelector("#said");
const act = (name, what) => fetch(`/act?name=${name}&what=${what}`, {method: "POST"});
async function look() {
  try {
    const rows = await (await fetch("/state")).json();
    rows.forEach((row, index) => {
      let line = body.rows[index];
      if (!line) {
        line = body.insertRow();
        line.insertCell().textContent = row.name;
        line.insertCell();
        const cell = line.insertCell();
        for (const what of ["kill", "pause", "resume", "start"]) {
          const button = cell.appendChild(document.createElement("button"));
          button.textContent = what;
          button.onclick = () => act(row.name, what);
        }
      }
      line.cells[1].textContent = row.state;
      line.className = row.serves ? "serves" : "";
    });
    said.textContent = "";
  } catch { said.textContent = "The demonstration has ended."; }
  setTimeout(look, 300);
}
look();
</script>"""


class Page:
    def __init__(self, cluster, balancer, link, address):
        self.cluster, self.balancer = cluster, balancer
        self.link, self.address = link, address

    async def serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, target, _ = head.split("\r\n")[0].split()
            path = urllib.parse.urlsplit(target)
            # Another site's page may not break anything, nor may one by another name of this one.
            if f"\nhost: {self.address}\r" not in head.lower():
                status, kind, body = 403, "text/plain", ""
            elif (method, path.path) == ("POST", "/act"):
                self.act(**dict(urllib.parse.parse_qsl(path.query)))
                status, kind, body = 204, "text/plain", ""
            elif (method, path.path) == ("GET", "/state"):
                status, kind = 200, "application/json"
                body = json.dumps(await asyncio.to_thread(self.state))
            else:
                status, kind, body = 200, "text/html", PAGE.replace("LINK", self.link)
            writer.write(
                f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}; charset=utf-8\r\n"
                f"Content-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n{body}".encode())
            await writer.drain()
        except (OSError, ValueError, TypeError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def act(self, name, what):
        child = next(child for child in self.cluster.children if child.name == name)
        if what == "kill":
            child.end(signal.SIGKILL)
        elif what == "start" and not child.is_running:
            child.start()
        elif what in ("pause", "resume"):
            child.tell(signal.SIGSTOP if what == "pause" else signal.SIGCONT)
            child.is_paused = what == "pause"

    def state(self):
        leader = self.cluster.stream_leader()
        rows = []
        for child in self.cluster.children:
            serves = child is leader or child is self.balancer.node
            if not child.is_running:
                state = "ended"
            elif child.is_paused:
                state = "paused"
            elif child in self.cluster.servers:
                state = "leads the stream" if serves else "runs"
            else:
                status, text = child.readiness(0.3)
                state = "leads" if status == 200 else text.strip()[:200] or "does not answer"
            rows.append({"name": child.name, "state": state, "serves": serves})
        return rows


async def race(cluster, token, number, ports):
    """A simulated runner who runs again when it has ended, or could not go on."""
    path = os.path.join(cluster.folder, f"token-{number}")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(token)
    journal = open(os.path.join(cluster.folder, f"runner-{number}"), "w")
    while True:
        runner = subprocess.Popen(
            [cluster.program, "simulate", "--to", f"tcp://127.0.0.1:{ports['device']}",
             "--token-file", path, "--seed", str(number + 1), "--minutes", "120"],
            stdin=subprocess.DEVNULL, stdout=journal, stderr=journal, preexec_fn=end_with_parent)
        try:
            while runner.poll() is None:
                await asyncio.sleep(0.2)
        finally:
            runner.kill()
            runner.wait()
        await asyncio.sleep(1)


async def run(options, folder):
    ports = free_ports(3)
    settings = f"http:\n  public_url: http://127.0.0.1:{ports[1]}\n"
    with Cluster(options.binary, options.nats, folder, settings) as cluster:
        leader = await cluster.start()
        balancer = Balancer(cluster.nodes, ports[:2])
        await balancer.start()
        tasks, words = [asyncio.create_task(cluster.supervise())], []
        for number in range(options.runners):
            name = f"runner-{number + 1}"
            token = leader.ask("device", "add", name)["token"]
            words += ["--share", leader.ask("share", "create", "--device", name)["name"]]
            tasks.append(asyncio.create_task(race(cluster, token, number, balancer.ports)))
        link = leader.ask("share", "group", *words)["url"]
        address = f"127.0.0.1:{ports[2]}"
        page = Page(cluster, balancer, link, address)
        await asyncio.start_server(page.serve, "127.0.0.1", ports[2])
        print(f"Nodes and faults: http://{address}/\nThe race: {link}\nEnd with Ctrl-C.",
              flush=True)
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
