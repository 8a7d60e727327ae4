// A survival proof: what is done, what it must show, and how it is held against that.
export interface Proof {
  name: string
  must: string
  /** Says what of the machine is missing for it; undefined: nothing. */
  missing?: () => string | undefined
  run: (dataDir: string) => Promise<{ counts: object; holds: boolean }>
}
