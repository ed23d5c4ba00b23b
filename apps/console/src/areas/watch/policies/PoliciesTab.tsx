import type { AlertPolicy } from '@muster/areas/watch/policies/policies.contract.ts'
import { ArrowDown, ArrowUp, Route } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { IconButton } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { wholeList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { moved } from './order.ts'
import { PolicyForm } from './PolicyForm.tsx'
import { usePolicies } from './usePolicies.ts'
import { matchText, stepsText } from './words.ts'

interface Open {
  readonly what: 'edit' | 'delete'
  readonly of: AlertPolicy
}
const refresh = ['alertPolicies']

/** The policies in the order in which they apply. */
export function PoliciesTab() {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const answer = usePolicies()
  const policies = answer.data ?? []
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit alert policies'
  const act = useActs(policies)
  const creation = useNewForm('New policy', mayWrite)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted text-sm">
          Policies of an organization come before those of the partner. The first that matches applies.
        </p>
        {creation.button}
      </div>
      <ListTable
        label="Alert policies"
        list={wholeList(policies, answer)}
        columns={columnsWith(mayWrite, policies, act, (what, of) => setOpen({ what, of }))}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={Route} title="No alert policies yet" action={creation.button}>
            Without a policy, alerts are shown in the console only. Create a policy to send them to channels and people.
          </NoRows>
        }
      />
      {creation.isOpen && <PolicyForm close={creation.close} />}
      {open?.what === 'edit' && <PolicyForm policy={open.of} close={close} />}
      <Confirm
        danger
        open={open?.what === 'delete'}
        close={close}
        title={`Delete “${open?.of.name ?? ''}”?`}
        verb="Delete policy"
        act={() => act.remove.mutateAsync(open?.of.id ?? '')}
      >
        Alerts that it matches go to the next policy that matches. You cannot undo this.
      </Confirm>
    </>
  )
}

function useActs(policies: readonly AlertPolicy[]) {
  const move = useApiMutation(
    ({ id, by }: { readonly id: string; readonly by: -1 | 1 }) =>
      api.alertPolicies.policies.reorder.mutate({ ids: moved(policies, id, by) }),
    { refresh, done: () => toast('Order saved') },
  )
  const enable = useApiMutation(
    ({ id, enabled }: AlertPolicy) => api.alertPolicies.policies.update.mutate({ id, enabled: !enabled }),
    { refresh, done: ({ enabled }) => toast(enabled ? 'Policy enabled' : 'Policy disabled') },
  )
  const remove = useApiMutation((id: string) => api.alertPolicies.policies.remove.mutate({ id }), {
    refresh,
    done: () => toast('Policy deleted'),
  })
  return {
    isMoving: move.isPending,
    move: (id: string, by: -1 | 1) => move.mutate({ id, by }, { onError: toastError }),
    enable: (policy: AlertPolicy) => enable.mutate(policy, { onError: toastError }),
    remove,
  }
}
type Acts = ReturnType<typeof useActs>

const columnsWith = (
  mayWrite: string | undefined,
  policies: readonly AlertPolicy[],
  act: Acts,
  open: (what: Open['what'], of: AlertPolicy) => void,
): readonly Column<AlertPolicy>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: (policy) => <RowButton open={() => open('edit', policy)}>{policy.name}</RowButton>,
  },
  { id: 'match', header: 'Matches', width: 170, grow: 3, cell: ({ match }) => matchText(match) },
  {
    id: 'order',
    header: 'Order',
    width: 90,
    pinned: true,
    cell: (policy) => <OrderButtons policy={policy} policies={policies} mayWrite={mayWrite} act={act} />,
  },
  { id: 'steps', header: 'Steps', width: 120, grow: 1, cell: (policy) => stepsText(policy) },
  {
    id: 'enabled',
    header: 'Status',
    width: 90,
    cell: ({ enabled }) => (enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>),
  },
  { id: 'continue', header: 'Then', width: 100, cell: (policy) => (policy.continue ? 'Next policy' : 'Stops') },
  organizationColumn,
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (policy) => (
      <RowMenu
        name={policy.name}
        groups={[
          [
            { label: 'Edit policy', blocked: mayWrite, act: () => open('edit', policy) },
            {
              label: policy.enabled ? 'Disable policy' : 'Enable policy',
              blocked: mayWrite,
              act: () => act.enable(policy),
            },
          ],
          [{ label: 'Delete policy', danger: true, blocked: mayWrite, act: () => open('delete', policy) }],
        ]}
      />
    ),
  },
]

interface OrderProps {
  readonly policy: AlertPolicy
  readonly policies: readonly AlertPolicy[]
  readonly mayWrite: string | undefined
  readonly act: Acts
}
function OrderButtons({ policy: { id, name }, policies, mayWrite, act }: OrderProps) {
  const isStill = (by: -1 | 1) => moved(policies, id, by).length === 0
  const busy = act.isMoving && 'The order is being saved'
  return (
    <span className="flex">
      <IconButton
        small
        label={`Move ${name} up`}
        blocked={mayWrite ?? (busy || (isStill(-1) && 'This is the first'))}
        onClick={() => act.move(id, -1)}
      >
        <ArrowUp aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton
        small
        label={`Move ${name} down`}
        blocked={mayWrite ?? (busy || (isStill(1) && 'This is the last'))}
        onClick={() => act.move(id, 1)}
      >
        <ArrowDown aria-hidden className="size-3.5" />
      </IconButton>
    </span>
  )
}
