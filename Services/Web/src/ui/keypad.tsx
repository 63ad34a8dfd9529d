/** The keys of the phone's add sheet; the field takes any keyboard as well. */
import * as words from '../generated/words';
import { Icon } from './icon';

interface KeypadProps {
  /** The decimal sign; none for currencies without decimals. */
  point: string | undefined;
  onKey: (key: string) => void;
  onDelete: () => void;
}

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

export function Keypad({ point, onKey, onDelete }: KeypadProps) {
  return (
    <div className="pad only-phone" role="group" aria-label={words.keypad()}>
      {digits.map((digit) => (
        <button key={digit} type="button" onClick={() => onKey(digit)}>{digit}</button>
      ))}
      {point ? <button type="button" onClick={() => onKey(point)}>{point}</button> : <span />}
      <button type="button" onClick={() => onKey('0')}>0</button>
      <button type="button" aria-label={words.keypadDelete()} onClick={onDelete}>
        <Icon name="backspace" />
      </button>
    </div>
  );
}
