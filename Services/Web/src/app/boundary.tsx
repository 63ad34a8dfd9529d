/** Replaces a screen that broke, or whose chunk is gone with its build. */
import { Component, type ReactNode } from 'react';
import * as words from '../generated/words';
import { Button } from '../ui/button';

interface State {
  readonly isBroken: boolean;
}

/** The rest of the page stays, and with it what was typed there. */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override readonly state: State = { isBroken: false };

  static getDerivedStateFromError(): State {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <div className="card stack" role="alert">
        <h2>{words.brokenTitle()}</h2>
        <p>{words.brokenWhy()}</p>
        <div><Button onClick={() => location.reload()}>{words.brokenReload()}</Button></div>
      </div>
    );
  }
}
