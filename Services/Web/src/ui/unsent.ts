/**
 * Tells other tabs and the service worker that this page holds text that would be lost.
 *
 * A shared lock says it: it is freed by itself when the page goes, and a new build takes over only
 * while nobody holds one.
 */
import { useEffect } from 'react';

const NAME = 'ezwallet-unsent';

export function useUnsent(isUnsent: boolean): void {
  useEffect(() => {
    if (!isUnsent || !('locks' in navigator)) return undefined;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    void navigator.locks.request(NAME, { mode: 'shared' }, () => held);
    return release;
  }, [isUnsent]);
}

export async function isAnythingUnsent(): Promise<boolean> {
  if (!('locks' in navigator)) return true;
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === NAME);
}
