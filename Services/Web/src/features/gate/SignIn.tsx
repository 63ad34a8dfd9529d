/** G1: signing in. */
import { knownUser } from '../../api/session';
import * as words from '../../generated/words';
import { Link } from '../../ui/link';
import type { ScreenProps } from '../../ui/screen';
import { Gate } from './Gate';
import { SignInForm } from './sign-in-form';

/** Only addresses of our own are gone to after signing in. */
export const ownAddress = (to: string | null): string => (to && /^\/(?![/\\])/.test(to) ? to : '/');

export default function SignIn({ query }: ScreenProps) {
  const known = knownUser();
  return (
    <Gate>
      <div>
        <h1 className="big-h">
          {known ? words.welcomeBack({ name: known.name }) : words.welcome()}
        </h1>
        <p className="sub">{words.welcomeWhy()}</p>
      </div>
      <SignInForm
        isKnown={known !== undefined}
        onDone={() => location.replace(ownAddress(query.get('to')))}
      />
      <p className="sub">
        {words.newHere()} <Link className="link" to="/sign-up">{words.createAccount()}</Link>
      </p>
    </Gate>
  );
}
