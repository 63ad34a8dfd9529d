/** Whether calls are answered: what the last one met, and what the browser says of its network. */
let connected = true;
const listeners = new Set<() => void>();

export const isConnected = (): boolean => connected;

export function setConnected(now: boolean): void {
  if (now === connected) return;
  connected = now;
  for (const listener of [...listeners]) listener();
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Listens to the browser; `onBack` runs when a network is there again. */
export function watchNetwork(onBack: () => void): void {
  addEventListener('offline', () => setConnected(false));
  addEventListener('online', () => {
    setConnected(true);
    onBack();
  });
}
