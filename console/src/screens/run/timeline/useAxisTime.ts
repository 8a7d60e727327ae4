// The end of the axis of a run that has not ended: now.
import { useEffect, useState } from 'react'

interface AxisTimeOptions {
  /** How far the server's clock is ahead of this machine's. */
  aheadMs: number
  isActive: boolean
  isRunning: boolean
  /** Somebody looks at a part: it must not slide away under them. */
  isStill: boolean
}

/** A run that works grows smoothly, one that waits by the second. */
const runningMs = 250
const waitingMs = 1000

export function useAxisTime({ aheadMs, isActive, isRunning, isStill }: AxisTimeOptions): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isActive || isStill) return undefined
    const timer = setInterval(() => setNow(Date.now()), isRunning ? runningMs : waitingMs)
    return () => clearInterval(timer)
  }, [isActive, isRunning, isStill])
  return now + aheadMs
}
