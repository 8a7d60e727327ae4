// Every command, in the order in which the help lists them.
import { whoami } from './account/whoami.ts'
import { api } from './call/api.ts'
import { call } from './call/call.ts'
import type { Command } from './command.ts'
import { machineCommands } from './machineCommands.ts'
import { runsList } from './runs/list.ts'

export const commands: Command[] = [runsList, call, api, whoami, ...machineCommands]
