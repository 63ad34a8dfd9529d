/** Served in the place of the worker with `EZWALLET_WEB=off`: it removes itself and what it kept. */
declare const self: EventTarget & {
  skipWaiting(): Promise<void>;
  readonly registration: { unregister(): Promise<boolean> };
};

async function remove(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith('ezwallet-')) await caches.delete(name);
  await self.registration.unregister();
}

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) =>
  (event as Event & { waitUntil(work: Promise<unknown>): void }).waitUntil(remove()),
);

export {};
