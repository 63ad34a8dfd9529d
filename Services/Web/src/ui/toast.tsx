/** The one message that says what has just happened, for ten seconds, with its undo. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import * as words from '../generated/words';
import { IconButton } from './button';

export interface ToastMessage {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 10_000;
let current: ToastMessage | undefined;
const listeners = new Set<() => void>();

/** Shows a message in the place of the one before. */
export function toast(message: ToastMessage | undefined): void {
  current = message;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Stands once in the shell; it is always there, so that a reader hears what appears in it. */
export function Toasts() {
  const message = useSyncExternalStore(subscribe, () => current);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {message ? (
        <Toast key={message.text} message={message} onDone={() => toast(undefined)} />
      ) : null}
    </div>
  );
}

/** Its time stands still while the pointer or the focus is on it. */
export function Toast({ message, onDone }: { message: ToastMessage; onDone: () => void }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(onDone, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, onDone]);
  return (
    <div
      className="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="grow">{message.text}</span>
      {message.action ? (
        <button
          type="button"
          className="toast-action"
          onClick={() => {
            message.action?.run();
            onDone();
          }}
        >
          {message.action.label}
        </button>
      ) : null}
      <IconButton icon="x" label={words.close()} onClick={onDone} />
    </div>
  );
}
