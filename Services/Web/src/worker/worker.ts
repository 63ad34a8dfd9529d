/**
 * The service worker: the shell works offline, and a page keeps the chunks that it was made with.
 *
 * Each build has a cache of its own, filled before the worker is installed, so that a page never
 * finds half of one. Answers of the API are never stored here. A new worker waits until a page tells
 * it that no unsent work is open; the old build's cache is deleted when the new one takes over.
 */
declare const FILES: readonly string[];
declare const BUILD: string;
declare const self: ServiceWorkerLike;

interface ServiceWorkerLike extends EventTarget {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}
interface Lifecycle extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lifecycle {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const CACHE = `ezwallet-${BUILD}`;
const SHELL = '/index.html';

async function fill(): Promise<void> {
  const cache = await caches.open(CACHE);
  const plain = ['/manifest.webmanifest', '/icon.svg', '/icon-192.png'];
  // Hashed files may come from the browser's cache; the shell may not.
  await cache.addAll([...FILES, ...plain]);
  const shell = await fetch('/', { cache: 'no-cache', credentials: 'same-origin' });
  if (!shell.ok) throw new Error('the shell is not there');
  await cache.put(SHELL, shell);
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith('ezwallet-') && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function fromCache(key: string | Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(key, { ignoreVary: true });
  return kept ?? fetch(key);
}

/** Pages of the client are one shell; the server's own paths are left alone. */
function isPage(request: Request, path: string): boolean {
  return request.mode === 'navigate' && !/^\/(v1|internal|assets|\.well-known)\//.test(path) && !/\.\w+$/.test(path);
}

self.addEventListener('install', (event) => (event as Lifecycle).waitUntil(fill()));

self.addEventListener('activate', (event) =>
  (event as Lifecycle).waitUntil(dropOthers().then(() => self.clients.claim())),
);

self.addEventListener('message', (event) => {
  if ((event as MessageEvent<unknown>).data === 'take-over') void self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  const { request, respondWith } = event as Fetching;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (isPage(request, url.pathname)) respondWith.call(event, fromCache(SHELL));
  else if (FILES.includes(url.pathname)) respondWith.call(event, fromCache(url.pathname));
});

export {};
