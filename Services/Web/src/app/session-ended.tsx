/** Says that the session has ended; the page behind stays, with what was typed. */
import { goOn } from '../api/session';
import * as words from '../generated/words';
import { Dialog } from '../ui/dialog';
import { SignInForm } from '../features/gate/sign-in-form';

export function SessionEndedDialog({ onDone }: { onDone: () => void }) {
  return (
    <Dialog title={words.sessionEnded()} onClose={() => location.assign('/sign-in')}>
      <p className="sub">{words.sessionEndedWhy()}</p>
      <SignInForm
        isKnown
        onDone={() => {
          void goOn().then(onDone);
        }}
      />
    </Dialog>
  );
}
