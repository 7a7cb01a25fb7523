// A copy of this page in the browser, so that it opens without a network: a phone may close the
// page in the woods. A service worker keeps it (recordworker.js).

const workerPath = "/record-worker.js";
const cachePrefix = "pulsecast-record";

/** Whether there is a copy from now on. */
export async function keepCopy({ navigator, trustedTypes } = globalThis) {
  if (!navigator.serviceWorker) return false;
  // The policy of our pages wants every script's address vouched for.
  const policy = trustedTypes?.createPolicy("pulsecast-record", {
    createScriptURL: (path) => {
      if (path !== workerPath) throw new TypeError("not the worker of this page");
      return path;
    },
  });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(workerPath) ?? workerPath, { scope: "/record" });
    await navigator.serviceWorker.ready;
    return true;
  } catch {
    return false;  // As in a private window; the page then needs the network to open.
  }
}

/** Deletes all that this page keeps in the browser: frames, token, choices, copy. */
export async function eraseAll(store, { navigator, caches, localStorage } = globalThis) {
  await store.erase();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("pulsecast.record.")) localStorage.removeItem(key);
  }
  const registrations = await navigator.serviceWorker?.getRegistrations() ?? [];
  for (const each of registrations) {
    if (new URL(each.scope).pathname === "/record") await each.unregister();
  }
  for (const name of await caches?.keys() ?? []) {
    if (name.startsWith(cachePrefix)) await caches.delete(name);
  }
}
