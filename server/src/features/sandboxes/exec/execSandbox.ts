// Runs one command in a sandbox and answers with what it printed; a worker runs it, never the API process.
import { operation } from '../../../kit/operation.ts'
import { nullable, Type } from '../../../kit/schema.ts'
import { timeoutMaxS, timeoutUnsetS } from '../pool/command.ts'
import { execBrokerOf } from './execBroker.ts'
import { askExec } from './execs.ts'
import { lockFreeSandbox } from '../workspace/sandbox.ts'

export const execSandbox = operation({
  id: 'execSandbox',
  client: 'sandboxes.exec',
  route: 'POST /v2/sandboxes/:sandbox_id/exec',
  summary: 'Run a command in a sandbox',
  description:
    'Runs the command in bash, in `/workspace`, and answers when it has ended. It has no environment variables, and no network unless the ' +
    'server allows some hosts. Files that it leaves are kept; processes are not. If a worker dies while the command runs, another worker ' +
    'runs it again on the files as they were, unless the server lets sandboxes reach hosts.',
  scope: 'sandboxes:write',
  body: Type.Object(
    {
      command: Type.String({
        minLength: 1,
        maxLength: 100_000,
        description: 'What bash runs.',
        examples: ['ls -la'],
      }),
      timeout_s: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: timeoutMaxS,
            description: `Seconds before it is stopped, with exit code 124. ${timeoutUnsetS} unless given.`,
          }),
        ),
      ),
    },
    { examples: [{ command: 'python3 report.py > report.txt', timeout_s: 30 }] },
  ),
  status: 200,
  answer: Type.Object({
    exit_code: Type.Integer(),
    stdout: Type.String(),
    stderr: Type.String(),
    truncated: Type.Boolean({ description: 'More than 512 KiB were printed to stdout or stderr; the rest is lost.' }),
    duration_ms: Type.Integer({ minimum: 0 }),
  }),
  errors: ['not_found', 'sandbox_busy', 'conflict'],
  actsOutside: true,
  async prepare({ sandbox, body, context, act, fail }) {
    const wanted = { command: body.command, timeoutS: body.timeout_s ?? timeoutUnsetS }
    const id = await act(async (sql) => askExec(sql, await lockFreeSandbox(sql, sandbox), wanted))
    const broker = execBrokerOf(context)
    await broker.asked()
    const answer = await broker.answerOf(id)
    return 'failure' in answer ? fail('conflict', answer.failure) : answer.result
  },
  handler: async ({ prepared }) => prepared,
})
