// The first thing that the dialog asks: which agent.
import { AgentChoices } from '../../parts/AgentChoices.tsx'
import style from './StartRun.module.css'

interface AgentChoiceProps {
  /** Why the agent that was asked for cannot be taken. */
  problem: string | undefined
  onChoose: (agentId: string) => void
}

export function AgentChoice({ problem, onChoose }: AgentChoiceProps) {
  return (
    <div className={style.agents}>
      {problem !== undefined && (
        <p className={style.problem} role="alert">
          {problem}
        </p>
      )}
      <AgentChoices isForRun chosen={undefined} onChoose={onChoose} />
    </div>
  )
}
