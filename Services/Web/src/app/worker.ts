/** Registers the service worker. Trusted Types let one address through: this one. */
import { isAnythingUnsent } from '../ui/unsent';

interface WithTypes {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL: (address: string) => string },
    ): { createScriptURL(address: string): unknown };
  };
}

const ADDRESS = '/worker.js';

function trusted(): string {
  const policy = (window as WithTypes).trustedTypes?.createPolicy('worker', {
    createScriptURL(address) {
      if (address !== ADDRESS) throw new TypeError('not the worker');
      return address;
    },
  });
  return (policy?.createScriptURL(ADDRESS) ?? ADDRESS) as string;
}

/** A new build takes over while no page is looked at, or at once when there was none before. */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const workers = navigator.serviceWorker;
  const registration = await workers.register(trusted(), { updateViaCache: 'none' });
  let isControlled = workers.controller !== null;
  workers.addEventListener('controllerchange', () => {
    if (isControlled) void isAnythingUnsent().then((unsent) => unsent || location.reload());
    isControlled = true;
  });
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') return void registration.update().catch(() => undefined);
    return void isAnythingUnsent().then((unsent) => unsent || registration.waiting?.postMessage('take-over'));
  });
}
