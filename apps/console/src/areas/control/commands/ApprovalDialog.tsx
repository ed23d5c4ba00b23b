import type { Approval } from '@muster/areas/control/commands/approvals/approvals.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Details, Verbatim } from '../../../ui/dialog/Details.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Badge, Facts } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { duration, many } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { ApprovalDevices } from './ApprovalDevices.tsx'
import { approvalTitle, approvalWords } from './approvalStatus.ts'

/** What a command does and where, and the answer of the second person. */
export function ApprovalDialog({ id, close }: { readonly id: string; close(): void }) {
  const me = useMe()
  const answer = useApiQuery((client) => client.devices.approvals.get, { id }, { staleMs: 0 })
  const [reason, setReason] = useState('')
  const refresh = { refresh: ['devices'] }
  const approve = useApiMutation(({ hash }: Approval) => api.devices.approvals.approve.mutate({ id, hash }), {
    ...refresh,
    done: ({ commands }) => {
      toast(isPlan ? 'Approved and started' : `${many(commands.length, 'command')} sent`)
      close()
    },
  })
  const refuse = useApiMutation(() => api.devices.approvals.refuse.mutate({ id, reason: reason.trim() || null }), {
    ...refresh,
    done: () => close(),
  })
  const approval = answer.data
  const isPlan = approval?.timeoutMs === null
  const isOwn = approval?.requestedBy === me.id
  const error = approve.error ?? refuse.error
  return (
    <Details
      title={approval ? `${approvalTitle(approval)} on ${many(approval.devices, 'device')}` : 'Approval'}
      answer={answer}
      close={close}
      actions={
        approval?.status === 'pending' && (
          <>
            <Button busy={refuse.isPending} onClick={() => refuse.mutate(undefined)}>
              {isOwn ? 'Withdraw' : 'Reject'}
            </Button>
            <Button
              kind="danger"
              busy={approve.isPending}
              blocked={isOwn && 'You requested it: another user has to approve it'}
              onClick={() => approve.mutate(approval)}
            >
              {isPlan ? 'Approve and start' : 'Approve and run'}
            </Button>
          </>
        )
      }
    >
      {(shown) => (
        <div className="grid gap-4">
          <What approval={shown} />
          {shown.deviceIds.length > 0 && <ApprovalDevices deviceIds={shown.deviceIds} />}
          {shown.status === 'pending' && (
            <TextField label="Comment" optional value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
          <Refusal error={error} />
        </div>
      )}
    </Details>
  )
}

function What({ approval }: { readonly approval: Approval }) {
  const { payload, status, requestedByEmail, createdAt, expiresAt, timeoutMs, reason } = approval
  const { script, ...rest } = payload ?? {}
  const isPlan = timeoutMs === null
  const [words, tone] = approvalWords[status]
  return (
    <>
      <Facts
        facts={[
          [
            'Status',
            <Badge key="status" tone={tone}>
              {words}
            </Badge>,
          ],
          ['Requested by', requestedByEmail ?? 'Your IT provider'],
          ['Requested', <Moment key="requested" at={createdAt} />],
          ['Expires', <Moment key="expires" at={expiresAt} />],
          ...(timeoutMs === null ? [] : [['Timeout per device', duration(timeoutMs / 1_000)] as const]),
          ...(reason ? [['Reason', reason] as const] : []),
        ]}
      />
      {payload === null && <p>You don’t have permission to see the content of this command.</p>}
      {typeof script === 'string' && <Verbatim label="Script" text={script} />}
      {Object.keys(rest).length > 0 && (
        <Verbatim label={isPlan ? 'Content' : 'Parameters'} text={JSON.stringify(rest, null, 2)} />
      )}
    </>
  )
}
