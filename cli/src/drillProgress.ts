// How far a drill is: a line that is drawn again in a terminal, and a line for each step elsewhere.
import type { DrillProgress } from '../../server/src/features/system/drills/drill.ts'
import type { Output } from './output.ts'

interface Wanted {
  runs: number
  kills: number
}

interface Shown {
  tell: (progress: DrillProgress, wanted: Wanted) => void
  /** Takes the line away. */
  end: () => void
}

/** Elsewhere than in a terminal a line comes with every tenth part of the drill. */
const parts = 10

export function drillProgressOf(out: Output): Shown {
  let told = ''
  return {
    tell(progress, wanted) {
      const line = lineOf(progress, wanted)
      if (out.isLive) {
        out.draw(`\r\u001b[K${line}`)
        return
      }
      const tenth = Math.floor((progress.runs_ended * parts) / wanted.runs)
      const step = `${progress.phase} ${tenth}`
      if (step === told) return
      told = step
      out.note(line)
    },
    end() {
      if (out.isLive) out.draw('\r\u001b[K')
    },
  }
}

const phases: Record<DrillProgress['phase'], string> = {
  preparing: 'Preparing',
  killing: 'Killing',
  settling: 'Waiting for what is under way',
  erasing: 'Erasing the scratch team',
}

const lineOf = ({ phase, runs_started, runs_ended, kills, deliveries }: DrillProgress, wanted: Wanted): string =>
  `${phases[phase]}: ${runs_started} of ${wanted.runs} runs started, ${runs_ended} ended, ${kills} of ${wanted.kills} workers killed, ${deliveries} events delivered`
