/** The time, for what says how long ago something was. Moves while somebody looks. */

const STEP = 20_000;

class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => {
      if (document.visibilityState === "visible") this.now = Date.now();
    }, STEP);
  }
}

export const clock = new Clock();
