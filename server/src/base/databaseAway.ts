// The error of everything that needs the database while it is away. That it went away is logged once, by the watch (databaseWatch.ts).
export class DatabaseAway extends Error {
  constructor(reason = 'the database does not answer') {
    super(reason)
    this.name = 'DatabaseAway'
  }
}
