// Bounds work that a tenant wrote. It counts steps instead of time, so the same work ends at the same point on every machine.

/** The work would take more steps than it was given. */
export class TooManySteps extends Error {}

export class StepBudget {
  readonly #steps: number
  #spent = 0

  constructor(steps: number) {
    this.#steps = steps
  }

  /** More than it was given, once it has thrown. */
  get spent(): number {
    return this.#spent
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#steps) throw new TooManySteps('the work takes more steps than it may')
  }
}
