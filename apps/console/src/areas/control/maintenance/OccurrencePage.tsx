import type { Occurrence } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Card, Facts } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { DeviceLinks } from '../../fleet/targets/DeviceLinks.tsx'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { StartForm } from './StartForm.tsx'
import { activities, rangeWords, StatusBadge } from './words.tsx'

const up = { label: 'Maintenance', to: '/maintenance' } as const

/** One occurrence of a window: what it held back, and which devices did not return. */
export function OccurrencePage() {
  const { occurrenceId } = useParams({ from: '/app/maintenance/occurrences/$occurrenceId' })
  const answer = useApiQuery((client) => client.maintenance.occurrences.get, { id: occurrenceId }, { everyMs: 5_000 })
  if (!answer.data) return <PendingPage title="Occurrence" up={up} answer={answer} />
  return <Known occurrence={answer.data} />
}

function Known({ occurrence }: { readonly occurrence: Occurrence }) {
  const { status, name, timezone, startsAt, endsAt, deviceCount } = occurrence
  const [asked, setAsked] = useState<'start' | 'end' | null>(null)
  const mayWrite = useCan()('devices:write') ? undefined : 'You don’t have permission to edit devices'
  const close = () => setAsked(null)
  const end = useApiMutation(() => api.maintenance.occurrences.end.mutate({ id: occurrence.id }), {
    refresh: ['maintenance'],
    done: () => toast('Maintenance ended'),
  })
  return (
    <Page
      title={name}
      up={up}
      badge={<StatusBadge status={status} />}
      lead={`${rangeWords(startsAt, endsAt, timezone)} ${timezone}`}
      actions={
        <>
          {status === 'scheduled' && (
            <Button kind="primary" blocked={mayWrite} onClick={() => setAsked('start')}>
              Start now
            </Button>
          )}
          {status === 'active' && (
            <Button kind="primary" blocked={mayWrite} onClick={() => setAsked('end')}>
              End now
            </Button>
          )}
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Times occurrence={occurrence} />
        <HeldBack occurrence={occurrence} />
        <NotReturned occurrence={occurrence} />
      </div>
      {asked === 'start' && <StartForm occurrence={occurrence} close={close} />}
      <Confirm
        open={asked === 'end'}
        close={close}
        title={`End “${name}” now?`}
        verb="End maintenance"
        act={() => end.mutateAsync(undefined)}
      >
        Its effects on {many(deviceCount, 'device')} end at once. Alerts that still hold two minutes later are sent.
      </Confirm>
    </Page>
  )
}

const endWords: Readonly<Record<NonNullable<Occurrence['endedBy']>, string>> = {
  time: 'as planned',
  person: 'by a user',
  cancel: 'canceled',
}

interface Props {
  readonly occurrence: Occurrence
}

function Times({ occurrence }: Props) {
  const { windowId, orgId, startsAt, endsAt, startedAt, endedAt, endedBy, deviceCount } = occurrence
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            'Window',
            <Link
              key="window"
              to="/maintenance/$windowId"
              params={{ windowId }}
              className="rounded text-accent-text underline"
            >
              {occurrence.name}
            </Link>,
          ],
          ['Organization', <OrganizationLink key="org" orgId={orgId} />],
          ['Planned start', <Moment key="start" at={startsAt} />],
          ['Planned end', <Moment key="end" at={endsAt} />],
          ['Started', <Moment key="started" at={startedAt} never="not yet" />],
          [
            'Ended',
            <span key="ended">
              <Moment at={endedAt} never="not yet" /> {endedBy && `(${endWords[endedBy]})`}
            </span>,
          ],
          ['Devices', count(deviceCount)],
        ]}
      />
    </Card>
  )
}

const HeldBack = ({ occurrence: { suppressed } }: Props) => (
  <Card title="Held back">
    <Facts facts={activities.map(([activity, label]) => [label, count(suppressed[activity])] as const)} />
  </Card>
)

function NotReturned({ occurrence: { status, notReturned } }: Props) {
  return (
    <Card title="Devices that did not return">
      {notReturned.length === 0 ? (
        <p className="text-muted text-sm">
          {status === 'completed'
            ? 'None. Devices that were online at the start are checked 15 minutes after the end.'
            : 'Known 15 minutes after the end.'}
        </p>
      ) : (
        <DeviceLinks deviceIds={notReturned} />
      )}
    </Card>
  )
}
