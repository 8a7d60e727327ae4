// Why a process leaves a run that it holds, other than by its end.

/** Another process may hold the run now, or it was stopped: nothing more may be written or done for it. */
export class Fenced extends Error {
  constructor() {
    super('the run is no longer held by this process')
  }
}

/** A limit of the run is reached; the reason with which its work is cut off and it fails. */
export class LimitReached extends Error {}

/** The run is given back without a failure, for whoever claims it next: the process stops, or what it knows of the run is out of date. */
export class Yielded extends Error {}
