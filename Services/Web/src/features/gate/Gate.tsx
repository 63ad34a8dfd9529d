/** The two halves of the gate: a promise on pine, and the form. */
import type { ReactNode } from 'react';
import * as words from '../../generated/words';
import { Guilloche, Logo } from '../../ui/guilloche';

export function Gate({ children }: { children: ReactNode }) {
  return (
    <div className="gate">
      <section className="hero show" aria-hidden="true">
        <Guilloche />
        <p>{words.promiseSee()}</p>
        <p>{words.promiseAgree()}</p>
        <p>{words.promiseDecide()}</p>
      </section>
      <main className="form" id="main">
        <div className="row"><Logo /> <b className="grow">EZWallet</b></div>
        {children}
      </main>
    </div>
  );
}
