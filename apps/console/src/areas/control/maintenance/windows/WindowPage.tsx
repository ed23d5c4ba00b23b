import type { Window } from '@muster/areas/control/maintenance/windows.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CalendarClock, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { many } from '../../../../ui/text/quantity.ts'
import { Moment } from '../../../../ui/text/time.tsx'
import { TargetSummary } from '../../../fleet/targets/TargetSummary.tsx'
import { OrganizationLink } from '../../../tenancy/tenancy/PlaceLinks.tsx'
import { OccurrenceTable } from '../OccurrenceTable.tsx'
import { effectWords, lengthWords, StatusBadge, statuses, zoneWords } from '../words.tsx'
import { recurrenceWords } from './recurrence.ts'
import { type Asked, isOver, WindowActions } from './WindowActions.tsx'

const up = { label: 'Maintenance', to: '/maintenance' } as const

/** One maintenance window: when it is, what it does, and its occurrences. */
export function WindowPage() {
  const { windowId } = useParams({ from: '/app/maintenance/$windowId' })
  const answer = useApiQuery((client) => client.maintenance.windows.get, { id: windowId }, { everyMs: 10_000 })
  if (!answer.data) return <PendingPage title="Maintenance window" up={up} answer={answer} />
  return <Known window={answer.data} />
}

function Known({ window }: { readonly window: Window }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayWrite = useCan()('devices:write') ? undefined : 'You don’t have permission to edit devices'
  const over = isOver(window) ? 'The window has ended' : undefined
  return (
    <Page
      title={window.name}
      up={up}
      badge={<StatusBadge status={window.status} />}
      lead={window.description}
      actions={
        <>
          <Button
            blocked={mayWrite ?? (window.status === 'active' ? 'Cancel the active window first' : undefined)}
            onClick={() => setAsked('delete')}
          >
            Delete window
          </Button>
          <Button blocked={mayWrite ?? over} onClick={() => setAsked('cancel')}>
            Cancel window
          </Button>
          <Button kind="primary" blocked={mayWrite ?? over} onClick={() => setAsked('edit')}>
            <Pencil aria-hidden className="size-4" />
            Edit window
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Schedule window={window} />
          <Reach window={window} />
        </div>
        <Occurrences window={window} />
      </div>
      {asked && (
        <WindowActions
          window={window}
          asked={asked}
          close={() => setAsked(null)}
          gone={() => void navigate({ to: '/maintenance' })}
        />
      )}
    </Page>
  )
}

function Schedule({ window }: { readonly window: Window }) {
  const { startsAt, timezone, durationMinutes, rrule, exDates, nextOccurrence } = window
  return (
    <Card title="Schedule">
      <Facts
        facts={[
          ['Next occurrence', <Moment key="next" at={nextOccurrence?.startsAt ?? null} never="none" />],
          ['Start', `${startsAt.replace('T', ' ')} (${zoneWords(timezone)})`],
          ['Duration', lengthWords(durationMinutes)],
          ['Repeats', recurrenceWords(rrule, startsAt)],
          ...(rrule === null ? [] : [['Rule', <code key="rule">{rrule}</code>] as const]),
          ...(exDates.length === 0
            ? []
            : [['Skipped', exDates.map((each) => each.replace('T', ' ')).join(', ')] as const]),
        ]}
      />
    </Card>
  )
}

function Reach({ window }: { readonly window: Window }) {
  const { orgId, deviceCount, targets, exclude, effects, verifyReturn } = window
  return (
    <Card title="Devices and effects">
      <Facts
        facts={[
          ['Organization', <OrganizationLink key="org" orgId={orgId} />],
          ['Targets', <TargetSummary key="targets" targets={targets} exclude={exclude} />],
          ['Devices now', many(deviceCount, 'device')],
          ['Effects', effectWords(effects).join(', ')],
          ['Verify that devices return', verifyReturn ? 'yes' : 'no'],
        ]}
      />
    </Card>
  )
}

function Occurrences({ window }: { readonly window: Window }) {
  const { status } = useSearch({ from: '/app/maintenance/$windowId' })
  const navigate = useNavigate({ from: '/maintenance/$windowId' })
  const narrow = (next: Window['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const list = useList(
    (client) => client.maintenance.windows.occurrences,
    { id: window.id, ...(status && { status }) },
    { everyMs: 10_000 },
  )
  return (
    <section aria-label="Occurrences">
      <Tools>
        <h2 className="font-semibold">Occurrences</h2>
        <span className="flex-1" />
        <Select label="Status" none="All statuses" value={status} options={statuses} choose={narrow} />
      </Tools>
      <OccurrenceTable
        list={list}
        empty={
          <NoRows icon={CalendarClock} title="No occurrences" clear={status && (() => narrow(undefined))}>
            The schedule has no occurrence within a year. Edit the window to change it.
          </NoRows>
        }
      />
    </section>
  )
}
