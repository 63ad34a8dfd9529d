/** The read cache for screens. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { Known } from './cache';
import { addressOf, type AnyInput, type Input, type Operation, type Shape } from './operation';
import { isConnected, onConnection } from './connection';
import { cache, onWaiting, waitingWrites } from './session';
import type { Waiting } from './store';

export interface Read<Body> extends Known<Body> {
  readonly retry: () => void;
}

/** Reads a call: returns the known answer at once, then the fresh one. */
export function useRead<Of extends Shape>(
  operation: Operation<Of>,
  input: Input<Of>,
): Read<Of['answer']> {
  const key = addressOf(operation, input as AnyInput);
  // The address says what the input is: a screen may make the object anew each time.
  const stable = useMemo(() => input, [key]);
  const subscribe = useCallback(
    (listener: () => void) => cache.watch(operation, stable, listener),
    [operation, stable],
  );
  const known = useSyncExternalStore(subscribe, () => cache.peek(operation, stable));
  const retry = useCallback(() => void cache.refresh(operation, stable), [operation, stable]);
  return { ...known, retry };
}

/** The writes that wait to be sent. */
export const useWaiting = (): readonly Waiting[] => useSyncExternalStore(onWaiting, waitingWrites);

/** Whether calls are answered. */
export const useOnline = (): boolean => useSyncExternalStore(onConnection, isConnected);
