import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { AutomationForm } from './editor/AutomationForm.tsx'
import { SecretDialog, type ShownSecret } from './SecretDialog.tsx'
import { type AutomationActs, useAutomationActs } from './useAutomationActs.tsx'
import { reasonText, StatusBadge, statuses, triggerText, triggerTypes } from './words.tsx'

interface Narrowing {
  readonly q?: string | undefined
  readonly status?: Automation['status'] | undefined
  readonly trigger?: Automation['trigger']['type'] | undefined
}

/** The automations of a place. */
export function AutomationsPage() {
  const { q, status, trigger } = useSearch({ from: '/app/automations' })
  const navigate = useNavigate({ from: '/automations' })
  const narrow = (next: Narrowing) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org } = usePlace()
  const acts = useAutomationActs()
  const form = useNewForm('New automation', acts.mayWrite)
  const [secret, setSecret] = useState<ShownSecret | null>(null)
  const show = (id: string) => void navigate({ to: '/automations/$automationId', params: { automationId: id } })
  const list = useList(
    (client) => client.automations.automations.list,
    { ...(q && { search: q }), ...(status && { status }), ...(trigger && { trigger }), ...(org && { orgId: org }) },
    { everyMs: 10_000 },
  )
  const isNarrowed = Boolean(q || status || trigger)
  return (
    <ListPage
      title="Automations"
      lead="Actions that start by themselves: at a time, on an event, or when another program asks."
      actions={form.button}
      tools={
        <>
          <SearchField
            label="Search automations"
            placeholder="Search by name or description"
            value={q}
            change={(text) => narrow({ q: text })}
          />
          <Select
            label="Status"
            none="All statuses"
            value={status}
            options={statuses}
            choose={(next) => narrow({ status: next })}
          />
          <Select
            label="Trigger"
            none="All triggers"
            value={trigger}
            options={triggerTypes}
            choose={(next) => narrow({ trigger: next })}
          />
        </>
      }
      label="Automations"
      list={list}
      columns={columnsWith(acts)}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={Workflow}
          title="No automations yet"
          action={form.button}
          clear={isNarrowed && (() => narrow({ q: undefined, status: undefined, trigger: undefined }))}
        >
          Create one to restart a service each night, or to notify someone when a server goes offline.
        </NoRows>
      }
    >
      {form.isOpen && (
        <AutomationForm
          close={form.close}
          done={({ automation: { id }, secret: text }) => (text === undefined ? show(id) : setSecret({ id, text }))}
        />
      )}
      <SecretDialog
        secret={secret}
        close={() => {
          setSecret(null)
          if (secret !== null) show(secret.id)
        }}
      />
      {acts.dialogs}
    </ListPage>
  )
}

const columnsWith = ({ groupsFor }: AutomationActs): readonly Column<Automation>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 200,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/automations/$automationId"
        params={{ automationId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    cell: ({ status, statusReason }) => (
      <span title={statusReason === null ? undefined : reasonText(statusReason)}>
        <StatusBadge status={status} />
      </span>
    ),
  },
  { id: 'trigger', header: 'Trigger', width: 220, grow: 3, cell: ({ trigger }) => triggerText(trigger) },
  { id: 'next', header: 'Next run', width: 110, cell: ({ nextRunAt }) => <Ago at={nextRunAt} never="–" /> },
  { id: 'last', header: 'Last run', width: 110, cell: ({ lastRunAt }) => <Ago at={lastRunAt} /> },
  organizationColumn,
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (automation) => <RowMenu name={automation.name} groups={groupsFor(automation)} />,
  },
]
