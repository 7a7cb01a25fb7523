// The service worker of the record page: keeps a copy of it, and answers from there when the network
// does not. It sees no other page and no request but for the page and its files.

const cacheName = "pulsecast-record-1";
const page = "/record";
const assets = "/assets";
/** A network that does not answer by then is as good as none. */
const patienceMilliseconds = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(fetch(page, { cache: "no-store" }).then(keep).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin) return;
  if (pathname === page) event.respondWith(newestPage(event));
  else if (pathname.startsWith(`${assets}/`)) event.respondWith(asset(event.request));
});

/** The daemon's page where it answers in time, else the copy. */
async function newestPage(event) {
  const fromNetwork = fetch(page, { cache: "no-store" }).then(async (answer) => {
    if (answer.ok) event.waitUntil(keep(answer.clone()).catch(() => {}));
    return answer;
  });
  const patience = new Promise((done) => setTimeout(done, patienceMilliseconds));
  const first = await Promise.race([fromNetwork.catch(() => undefined), patience]);
  if (first?.ok) return first;
  return await (await caches.open(cacheName)).match(page) ?? fromNetwork;
}

/** Names of files hold a hash of their content: one that is kept is right. */
async function asset(request) {
  return await (await caches.open(cacheName)).match(request.url) ?? fetch(request);
}

/** Keeps a page with every file that it names, or that those name, and nothing older. */
async function keep(answer) {
  if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
  const cache = await caches.open(cacheName);
  const text = await answer.clone().text();
  const seen = new Set();
  const waiting = named(text);
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (seen.has(path)) continue;
    seen.add(path);
    const kept = await cache.match(path);
    const file = kept ?? await fetch(path);
    if (!file.ok) throw new Error(`${path} answered ${file.status}`);
    if (!kept) await cache.put(path, file.clone());
    if (path.endsWith(".js")) waiting.push(...named(await file.text()));
  }
  await cache.put(page, answer);
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname !== page && !seen.has(pathname)) await cache.delete(url);
  }
}

function named(text) {
  const inPages = [...text.matchAll(/"(\/assets\/[\w.-]+)"/g)].map(([, path]) => path);
  const inModules = [...text.matchAll(/from "\.\/([\w.-]+)"|import "\.\/([\w.-]+)"/g)]
    .map(([, name, bare]) => `${assets}/${name ?? bare}`);
  return [...inPages, ...inModules];
}
