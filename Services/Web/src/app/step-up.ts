/** The one question for a proof: calls that need it at the same time share it. */
import { useSyncExternalStore } from 'react';

let asked: {
  readonly answer: Promise<boolean>;
  readonly resolve: (isProved: boolean) => void;
} | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

export function askForProof(): Promise<boolean> {
  if (!asked) {
    let resolve: (isProved: boolean) => void = () => undefined;
    const answer = new Promise<boolean>((done) => (resolve = done));
    asked = { answer, resolve };
    tell();
  }
  return asked.answer;
}

export function answerProof(isProved: boolean): void {
  asked?.resolve(isProved);
  asked = undefined;
  tell();
}

export const useIsProofAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked !== undefined,
  );
