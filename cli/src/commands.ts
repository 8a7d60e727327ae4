// Every command, in the order in which the help lists them.
import { whoami } from './account/whoami.ts'
import type { Command } from './command.ts'
import { machineCommands } from './machineCommands.ts'
import { runsList } from './runs/list.ts'

export const commands: Command[] = [runsList, whoami, ...machineCommands]
