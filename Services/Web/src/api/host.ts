/** The browser's functions that the client uses; tests replace them. */
export interface Host {
  fetch(address: string, init: RequestInit): Promise<Response>;
  /** Runs the work alone among all tabs of this client. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  wait(milliseconds: number): Promise<void>;
  uuid(): string;
  now(): number;
  random(): number;
}

export const browserHost: Host = {
  fetch: (address, init) => fetch(address, init),
  // A browser without locks has one tab's order only; the server still takes a refresh twice for
  // ten seconds.
  exclusively: async (name, work) =>
    'locks' in navigator ? await navigator.locks.request(name, work) : await work(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  uuid: () => crypto.randomUUID(),
  now: () => Date.now(),
  random: () => Math.random(),
};
