// Which step made a call: the id of a call ends with the number of its step.
export function stepOfCall(callId: string): number | undefined {
  const [, digits] = /:(\d{1,9})$/.exec(callId) ?? []
  return digits === undefined ? undefined : Number(digits)
}
