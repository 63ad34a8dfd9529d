import { useEffect, useState } from 'react';
import * as words from '../generated/words';

/** «Too many tries. Again in 40 s», counting down; those who hear the page are told once. */
export function Countdown({ seconds, onDone }: { seconds: number; onDone: () => void }) {
  const [left, setLeft] = useState(Math.ceil(seconds));
  useEffect(() => {
    if (left <= 0) return onDone();
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, onDone]);
  return <span aria-live="off">{words.tooManyTries({ count: Math.max(0, left) })}</span>;
}
