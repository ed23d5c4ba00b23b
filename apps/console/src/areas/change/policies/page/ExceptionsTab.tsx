import type { PolicyException } from '@muster/areas/change/device-policies/exceptions/exceptions.contract.ts'
import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { ShieldOff } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { ListTable, Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../../ui/list/newForm.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import { Badge } from '../../../../ui/page/display.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Ago, Moment } from '../../../../ui/text/time.tsx'
import { useUserNames } from '../../../access/users/useUserNames.ts'
import { useTargetNames } from '../../../fleet/targets/useTargetNames.ts'
import { organizationColumn } from '../../../tenancy/tenancy/placeColumns.tsx'
import { ExceptionForm } from './ExceptionForm.tsx'

interface Props {
  readonly policy: Policy
  readonly mayWrite: string | undefined
}

/** Who does not have to keep the policy, or one of its rules, and why. */
export function ExceptionsTab({ policy, mayWrite }: Props) {
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<PolicyException | null>(null)
  const list = useList((client) => client.policies.exceptions.list, { id: policy.id })
  const remove = useApiMutation(
    (exceptionId: string) => api.policies.exceptions.remove.mutate({ id: policy.id, exceptionId }),
    { refresh: ['policies'], done: () => toast('Exception removed') },
  )
  const idsOf = (kind: 'deviceId' | 'groupId') => list.rows.flatMap((row) => row[kind] ?? [])
  const targetName = useTargetNames({ groupIds: idsOf('groupId'), deviceIds: idsOf('deviceId') })
  const userName = useUserNames(policy.orgId ?? undefined)
  const subjectOf = ({ deviceId, groupId }: PolicyException) =>
    deviceId === null ? targetName('groupIds', groupId ?? '') : targetName('deviceIds', deviceId)
  const add = (
    <NewButton blocked={mayWrite} act={() => setAdding(true)}>
      Add exception
    </NewButton>
  )
  return (
    <>
      <Tools>
        <p className="flex-1 text-muted text-sm">
          Rules are judged all the same, but they neither count nor open alerts.
        </p>
        {add}
      </Tools>
      <ListTable
        label="Exceptions"
        list={list}
        columns={columnsWith({ subjectOf, userName, mayWrite, remove: setRemoved })}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={ShieldOff} title="No exceptions" action={add}>
            Exempt a device or a group from the policy or one of its rules, with a reason.
          </NoRows>
        }
      />
      {isAdding && <ExceptionForm policy={policy} close={() => setAdding(false)} />}
      <Confirm
        danger
        open={removed !== null}
        close={() => setRemoved(null)}
        title={`Remove the exception of ${removed ? subjectOf(removed) : ''}?`}
        verb="Remove exception"
        act={() => remove.mutateAsync(removed?.id ?? '')}
      >
        Its devices count again within seconds.
      </Confirm>
    </>
  )
}

interface Words {
  readonly mayWrite: string | undefined
  subjectOf(exception: PolicyException): string
  userName(id: string | null): string
  remove(exception: PolicyException): void
}

const isOver = ({ expiresAt }: PolicyException): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

const columnsWith = ({ subjectOf, userName, mayWrite, remove }: Words): readonly Column<PolicyException>[] => [
  {
    id: 'subject',
    header: 'Exempt',
    width: 160,
    grow: 1,
    cell: (exception) => (
      <>
        {exception.deviceId === null && 'Group '}
        {subjectOf(exception)}
      </>
    ),
  },
  {
    id: 'rule',
    header: 'Rule',
    width: 120,
    cell: ({ ruleKey }) => (ruleKey === null ? 'All rules' : <code>{ruleKey}</code>),
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 200,
    grow: 3,
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
  {
    id: 'expires',
    header: 'Expires',
    width: 150,
    cell: (exception) =>
      isOver(exception) ? <Badge>Expired</Badge> : <Moment at={exception.expiresAt} never="Never" />,
  },
  organizationColumn,
  { id: 'by', header: 'Added by', width: 120, cell: ({ createdBy }) => userName(createdBy) },
  { id: 'created', header: 'Added', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (exception) => (
      <RowMenu
        name={subjectOf(exception)}
        groups={[[{ label: 'Remove exception', danger: true, blocked: mayWrite, act: () => remove(exception) }]]}
      />
    ),
  },
]
