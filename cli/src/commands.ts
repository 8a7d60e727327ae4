// Every command, in the order in which the help lists them.
import { login } from './account/login.ts'
import { open } from './account/open.ts'
import { logout, profilesList, profilesUse } from './account/profiles.ts'
import { whoami } from './account/whoami.ts'
import { api } from './call/api.ts'
import { call } from './call/call.ts'
import type { Command } from './command.ts'
import { inbox } from './inbox/list.ts'
import { inboxAnswer, inboxApprove, inboxReject, inboxWithdraw } from './inbox/respond.ts'
import { machineCommands } from './machineCommands.ts'
import { runsList } from './runs/list.ts'
import { runsRetry } from './runs/retry.ts'
import { runsShow } from './runs/show.ts'
import { run } from './runs/start.ts'
import { runsStop } from './runs/stop.ts'
import { runsTail } from './runs/tail.ts'
import { runsWhy } from './runs/why.ts'
import { completion } from './shell/completion.ts'
import { teamCommands } from './teamCommands.ts'

export const commands: Command[] = [
  run,
  runsList,
  runsShow,
  runsWhy,
  runsTail,
  runsStop,
  runsRetry,
  inbox,
  inboxApprove,
  inboxReject,
  inboxWithdraw,
  inboxAnswer,
  ...teamCommands,
  call,
  api,
  login,
  logout,
  profilesList,
  profilesUse,
  whoami,
  open,
  completion,
  ...machineCommands,
]
