// Which picture is current, and how long it stays while the run is played.

export interface Shot {
  seq: number
  step: number
  offset_ms: number
}

export const speeds = [0.5, 1, 2, 4] as const
export type Speed = (typeof speeds)[number]

/** A pause of an hour between two pictures is not waited for, and none flashes by. */
const longestMs = 2500
const shortestMs = 250

/** The current picture by its place: the chosen one, else the first of the selected step, else the newest of a run that is at work. */
export function currentOf(
  shots: Shot[],
  { picture, step }: { picture?: number; step?: number },
  isActive = false,
): number {
  const chosen = shots.findIndex(({ seq }) => seq === picture)
  if (chosen !== -1) return chosen
  const ofStep = step === undefined ? -1 : shots.findIndex((shot) => shot.step === step)
  if (ofStep !== -1) return ofStep
  if (step === undefined) return isActive ? Math.max(0, shots.length - 1) : 0
  // a step without a picture shows the one that was there when it began
  return Math.max(
    0,
    shots.findLastIndex((shot) => shot.step < step),
  )
}

/** How long the picture at this place stays. */
export function stayMs(shots: Shot[], at: number, speed: Speed): number {
  const [now, next] = [shots[at], shots[at + 1]]
  if (!now || !next) return longestMs / speed
  return Math.min(longestMs, Math.max(shortestMs, next.offset_ms - now.offset_ms)) / speed
}

export const nextSpeed = (speed: Speed): Speed => speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1
