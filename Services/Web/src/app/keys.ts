/** Keys that work everywhere: silent in fields, and off when the user has switched them off. */
import { useEffect } from 'react';

export interface Keys {
  /** One letter, or `g` and one letter. */
  readonly [key: string]: () => void;
}

const OFF = 'ezwallet-keys-off';
const SECOND_KEY_MS = 1_200;

export const areKeysOff = (): boolean => localStorage.getItem(OFF) === 'yes';
export const switchKeys = (isOn: boolean): void => (isOn ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, 'yes'));

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useKeys(keys: Keys): void {
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isField(event.target) || document.querySelector('dialog[open]') || areKeysOff()) return;
      const letter = event.key.toLowerCase();
      const isSecond = first !== '' && Date.now() - firstAt < SECOND_KEY_MS;
      const run = keys[isSecond ? `${first} ${letter}` : letter];
      first = !isSecond && letter === 'g' ? 'g' : '';
      firstAt = Date.now();
      if (!run) return;
      event.preventDefault();
      run();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [keys]);
}
