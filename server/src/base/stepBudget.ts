// Bounds work that a tenant wrote. It counts steps instead of time, so the same work ends at the same point on every machine.

/** The work would take more steps than it was given. */
export class TooManySteps extends Error {}

export class StepBudget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooManySteps('the work takes more steps than it may')
  }
}
