import { hasEnded } from '@muster/areas/control/commands/commands.rules.ts'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Details, Verbatim } from '../../../ui/dialog/Details.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { CommandMark, commandWords } from './CommandMark.tsx'

/** The codes of agents that reject commands without a valid signature. */
const refusedOrder = /^ORDER_/

/** One command with its output. */
export function CommandDialog({
  deviceId,
  commandId,
  close,
}: {
  readonly deviceId: string
  readonly commandId: string
  close(): void
}) {
  const answer = useApiQuery((client) => client.devices.commands.get, { id: deviceId, commandId })
  const nameOf = useUserNames(answer.data?.orgId)
  const cancel = useApiMutation(() => api.devices.commands.cancel.mutate({ id: deviceId, commandId }), {
    refresh: ['devices.commands'],
  })
  const command = answer.data
  return (
    <Details
      answer={answer}
      title={command ? commandWords(command.type) : 'Command'}
      close={close}
      actions={
        command &&
        !hasEnded(command.status) && (
          <Button kind="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel command
          </Button>
        )
      }
    >
      {(command) => (
        <div className="grid gap-4">
          <Facts
            facts={[
              ['Status', <CommandMark key="status" status={command.status} />],
              ['Sent by', nameOf(command.createdBy)],
              ['Created', <Moment key="created" at={command.createdAt} />],
              ['Started', <Moment key="started" at={command.startedAt} never="not yet" />],
              ['Finished', <Moment key="finished" at={command.finishedAt} never="not yet" />],
              ['Exit code', command.exitCode ?? '–'],
              ...(command.error ? [['Reason', command.error] as const] : []),
            ]}
          />
          {refusedOrder.test(command.error ?? '') && (
            <p className="rounded-md bg-bad-soft px-3 py-2 text-bad-text text-sm">
              The agent refused this command and did not run it. Tell an administrator at once: another party may be
              sending commands.
            </p>
          )}
          {command.payload === null && <p>You don’t have permission to see the content and output of this command.</p>}
          {typeof command.payload?.script === 'string' && <Verbatim label="Script" text={command.payload.script} />}
          {command.stdout && <Verbatim label="Output" text={command.stdout} />}
          {command.stderr && <Verbatim label="Errors" text={command.stderr} />}
          <Refusal error={cancel.error} />
        </div>
      )}
    </Details>
  )
}
