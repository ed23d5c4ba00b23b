import type { EnrollmentKey } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { useSearch } from '@tanstack/react-router'
import { MonitorCog, PlugZap } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn, siteColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { KeyForm } from './KeyForm.tsx'
import { type IssuedKey, NewKey } from './NewKey.tsx'
import { ProvisionForm } from './ProvisionForm.tsx'

interface Asking {
  readonly key: EnrollmentKey
  readonly what: 'rotate' | 'delete'
}

/** The enrollment keys, with which devices are added. */
export function EnrollmentPage() {
  const { org, site } = useSearch({ from: '/app/enrollment' })
  const mayChange = useCan()('devices:write') ? undefined : 'You don’t have permission to edit devices'
  const [open, setOpen] = useState<'key' | 'device' | null>(null)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const [asking, setAsking] = useState<Asking | null>(null)
  const list = useList((client) => client.enrollment.keys.list, {
    ...(org && { orgId: org }),
    ...(site && { siteId: site }),
  })
  const add = (
    <NewButton blocked={mayChange} act={() => setOpen('key')}>
      New enrollment key
    </NewButton>
  )
  return (
    <ListPage
      title="Enrollment"
      lead="Keys for adding devices to an organization."
      actions={
        <>
          <Button blocked={mayChange} onClick={() => setOpen('device')}>
            <MonitorCog aria-hidden className="size-4" />
            Pre-register device
          </Button>
          {add}
        </>
      }
      label="Enrollment keys"
      list={list}
      columns={keyColumns(setAsking, mayChange)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={PlugZap} title="No enrollment keys yet" action={add}>
          Create a key and run its install command on a machine. The device reports within seconds.
        </NoRows>
      }
    >
      {open === 'key' && <KeyForm place={{ org, site }} close={() => setOpen(null)} done={setIssued} />}
      {open === 'device' && <ProvisionForm close={() => setOpen(null)} done={setIssued} />}
      <NewKey issued={issued} close={() => setIssued(null)} />
      {asking && <KeyConfirm asking={asking} done={setIssued} close={() => setAsking(null)} />}
    </ListPage>
  )
}

interface ConfirmProps {
  readonly asking: Asking
  done(issued: IssuedKey): void
  close(): void
}
function KeyConfirm({ asking: { key, what }, done, close }: ConfirmProps) {
  const refresh = useRefresh()
  const isRotation = what === 'rotate'
  return (
    <Confirm
      open
      danger
      close={close}
      title={`${isRotation ? 'Rotate' : 'Delete'} “${key.name}”?`}
      verb={isRotation ? 'Rotate key' : 'Delete key'}
      act={async () => {
        if (isRotation) done(await api.enrollment.keys.rotate.mutate({ id: key.id }))
        else await api.enrollment.keys.remove.mutate({ id: key.id })
        await refresh('enrollment.keys')
      }}
    >
      {isRotation
        ? 'The current key and its install codes stop working. Enrolled devices stay.'
        : 'The key stops working. Enrolled devices stay.'}
    </Confirm>
  )
}

const keyColumns = (ask: (asking: Asking) => void, blocked: string | undefined): readonly Column<EnrollmentKey>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'key', header: 'Prefix', width: 140, cell: ({ keyPrefix }) => <code>{keyPrefix}…</code> },
  organizationColumn,
  siteColumn,
  {
    id: 'uses',
    header: 'Uses',
    width: 90,
    align: 'end',
    cell: ({ usageCount, maxUsage }) => (maxUsage === null ? usageCount : `${usageCount} of ${maxUsage}`),
  },
  { id: 'expires', header: 'Expires', width: 120, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { id: 'created', header: 'Created', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (key) => (
      <RowMenu
        name={key.name}
        groups={[
          [{ label: 'Rotate key', blocked, act: () => ask({ key, what: 'rotate' }) }],
          [{ label: 'Delete key', danger: true, blocked, act: () => ask({ key, what: 'delete' }) }],
        ]}
      />
    ),
  },
]
