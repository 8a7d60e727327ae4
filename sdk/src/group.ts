// A noun of the API, on which its operations are methods.
import type { Client } from './client.ts'

export class Group {
  protected readonly client: Client

  constructor(client: Client) {
    this.client = client
  }
}
