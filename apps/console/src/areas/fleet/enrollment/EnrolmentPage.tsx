import type { EnrollmentKey } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MonitorCog, PlugZap, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago, Moment } from '../../../ui/time.tsx'
import { usePlaceNames } from '../devices/columns.tsx'
import { KeyForm } from './KeyForm.tsx'
import { type Made, NewKey } from './NewKey.tsx'
import { ProvisionForm } from './ProvisionForm.tsx'

const limit = 50
interface Asking {
  readonly key: EnrollmentKey
  readonly what: 'rotate' | 'delete'
}

/** The keys that let machines in, and the line that installs an agent. */
export function EnrolmentPage() {
  const { page = 1, org, site } = useSearch({ from: '/app/enrolment' })
  const navigate = useNavigate({ from: '/enrolment' })
  const mayChange = useCan()('devices:write') ? undefined : 'You need the permission to change devices'
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [isPreparing, setPreparing] = useState(false)
  const columns = useKeyColumns(setAsking, mayChange)
  const answer = useApiQuery(
    (client) => client.enrollment.keys.list,
    { page, limit, ...(org && { orgId: org }), ...(site && { siteId: site }) },
    { keepLast: true },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const prepare = (
    <Button blocked={mayChange} onClick={() => setPreparing(true)}>
      <MonitorCog aria-hidden className="size-4" />
      Prepare a device
    </Button>
  )
  const add = (
    <Button kind="primary" blocked={mayChange} onClick={() => setMaking(true)}>
      <Plus aria-hidden className="size-4" />
      New enrolment key
    </Button>
  )
  return (
    <Page
      fill
      title="Enrolment"
      lead="A key lets machines into one organisation."
      actions={
        <>
          {prepare}
          {add}
        </>
      }
    >
      <DataTable
        label="Enrolment keys"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={PlugZap} title="No enrolment keys yet" action={add}>
            Make one, run the line that comes with it on a machine, and the machine reports within seconds.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      <KeyForm open={isMaking} place={usePlace()} close={() => setMaking(false)} done={setMade} />
      <NewKey made={made} close={() => setMade(null)} />
      {isPreparing && <ProvisionForm close={() => setPreparing(false)} done={setMade} />}
      {asking && <KeyConfirm asking={asking} made={setMade} close={() => setAsking(null)} />}
    </Page>
  )
}

interface ConfirmProps {
  readonly asking: Asking
  made(made: Made): void
  close(): void
}
function KeyConfirm({ asking: { key, what }, made, close }: ConfirmProps) {
  const refresh = useRefresh()
  const isRotation = what === 'rotate'
  return (
    <Confirm
      open
      danger
      close={close}
      title={`${isRotation ? 'Replace the key of' : 'Delete'} “${key.name}”?`}
      verb={isRotation ? 'Replace it' : 'Delete'}
      act={async () => {
        if (isRotation) made(await api.enrollment.keys.rotate.mutate({ id: key.id }))
        else await api.enrollment.keys.remove.mutate({ id: key.id })
        await refresh('enrollment.keys')
      }}
    >
      {isRotation
        ? 'The key until now and its short codes let in nobody any more. Machines that came in with them stay.'
        : 'Nobody comes in with it any more. Machines that came in with it stay.'}
    </Confirm>
  )
}

function useKeyColumns(ask: (asking: Asking) => void, blocked: string | undefined): readonly Column<EnrollmentKey>[] {
  const { orgs, sites } = usePlaceNames()
  return [
    {
      id: 'name',
      header: 'Name',
      width: 180,
      grow: 2,
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { id: 'key', header: 'Begins with', width: 140, cell: ({ keyPrefix }) => <code>{keyPrefix}…</code> },
    { id: 'org', header: 'Organisation', width: 150, grow: 1, cell: ({ orgId }) => orgs.get(orgId) ?? '–' },
    { id: 'site', header: 'Site', width: 130, grow: 1, cell: ({ siteId }) => sites.get(siteId ?? '') ?? '–' },
    {
      id: 'uses',
      header: 'Used',
      width: 90,
      align: 'end',
      cell: ({ usageCount, maxUsage }) => (maxUsage === null ? usageCount : `${usageCount} of ${maxUsage}`),
    },
    { id: 'ends', header: 'Ends', width: 180, cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    { id: 'made', header: 'Made', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      id: 'delete',
      header: 'Actions',
      width: 150,
      cell: (key) => (
        <span className="flex gap-1">
          <Button small kind="quiet" blocked={blocked} onClick={() => ask({ key, what: 'rotate' })}>
            Replace
          </Button>
          <Button small kind="quiet" blocked={blocked} onClick={() => ask({ key, what: 'delete' })}>
            Delete
          </Button>
        </span>
      ),
    },
  ]
}
