import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefresh } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { count, many } from '../../../ui/quantity.ts'
import { Failure, Refusal } from '../../../ui/states.tsx'
import { carryOut, isCommand, type Order, type Outcome, selectedDevices, skipWords } from './bulk.ts'
import type { DeviceFilters } from './deviceQuestion.ts'
import { OrderFields } from './OrderFields.tsx'
import type { DeviceSelection } from './useSelection.ts'

export type BulkKind = Order['kind']
const titles: Record<BulkKind, string> = {
  script: 'Run a script',
  inventory: 'Refresh the inventory',
  reboot: 'Restart the machine',
  tags: 'Change tags',
  group: 'Add to a group',
}
/** From here on the number has to be typed: nobody hits that many by a slip. */
const carefulFrom = 20

interface Props {
  readonly kind: BulkKind
  readonly chosen: DeviceSelection
  readonly filters: DeviceFilters
  /** The commands are on their way; their progress goes by this id. */
  sent(batchId: string): void
  close(): void
}

/** One thing for many devices: what, whom exactly it hits, how far it is, what became of it. */
export function BulkDialog({ kind, chosen, filters, sent, close }: Props) {
  const refresh = useRefresh()
  const [[read, done], setProgress] = useState([0, 0])
  const [key] = useState(() => crypto.randomUUID())
  const [typed, setTyped] = useState('')
  const [order, setOrder] = useState<Order>(blank[kind])
  const targets = useQuery({
    queryKey: ['bulk targets', kind],
    queryFn: ({ signal }) => selectedDevices(chosen, filters, (now) => setProgress([now, 0]), signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const devices = targets.data ?? []
  const work = useMutation({
    mutationFn: () => carryOut({ order, devices, key }, (now) => setProgress([devices.length, now])),
    onSuccess: ({ batchId }) => {
      if (batchId !== null) sent(batchId)
      void refresh('devices', 'groups')
    },
  })
  if (work.data) return <Result outcome={work.data} kind={kind} close={close} />
  const isCareful = devices.length >= carefulFrom
  const blocked =
    (targets.isPending && 'The devices are being counted') ||
    missing(order) ||
    (isCareful && typed.trim() !== String(devices.length) && `Type ${devices.length} first`)
  const verb = `${titles[kind]} on ${many(devices.length, 'device')}`
  return (
    <Dialog
      open
      wide
      title={titles[kind]}
      close={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind={kind === 'script' || kind === 'reboot' ? 'danger' : 'primary'}
            blocked={blocked}
            busy={work.isPending}
            onClick={() => work.mutate()}
          >
            {work.isPending ? `${count(done ?? 0)} of ${count(devices.length)}` : verb}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <OrderFields order={order} change={setOrder} />
        {targets.error ? (
          <Failure error={targets.error} again={() => targets.refetch()} />
        ) : targets.isPending ? (
          <p
            role="status"
            className="text-muted text-sm"
          >{`Reading the selection: ${count(read ?? 0)} devices so far.`}</p>
        ) : (
          <BlastRadius devices={devices} waits={isCommand(kind)} />
        )}
        {isCareful && (
          <TextField
            label={`Type ${devices.length} to confirm`}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
        <Refusal error={work.error} />
      </div>
    </Dialog>
  )
}

const blank: Record<BulkKind, Order> = {
  script: { kind: 'script', script: '', language: 'bash' },
  inventory: { kind: 'inventory' },
  reboot: { kind: 'reboot' },
  tags: { kind: 'tags', add: [], remove: [] },
  group: { kind: 'group', groupId: '' },
}
const missing = (order: Order) =>
  (order.kind === 'script' && order.script.trim() === '' && 'Write the script first') ||
  (order.kind === 'group' && order.groupId === '' && 'Choose a group first') ||
  (order.kind === 'tags' && order.add.length + order.remove.length === 0 && 'Name a tag first')

const doneTitles: Partial<Record<BulkKind, string>> = {
  tags: 'The tags are changed',
  group: 'The devices are in the group',
}
const namesShown = 6

function BlastRadius({ devices, waits }: { readonly devices: readonly Device[]; readonly waits: boolean }) {
  const perOrg = Map.groupBy(devices, ({ orgId }) => orgId)
  const away = devices.filter(({ status }) => status !== 'online').length
  const names = devices.slice(0, namesShown).map(({ displayName, hostname }) => displayName ?? hostname)
  return (
    <section
      aria-label="What this hits"
      className="grid gap-1 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn-text"
    >
      <p className="font-semibold">
        This hits {many(devices.length, 'device')} of {many(perOrg.size, 'organisation')}.
      </p>
      <p>
        {[...perOrg]
          .slice(0, namesShown)
          .map(([, list]) => `${list[0]?.orgName}: ${count(list.length)}`)
          .join(' · ')}
      </p>
      <p>
        {names.join(', ')}
        {devices.length > namesShown && ` and ${count(devices.length - namesShown)} more`}
      </p>
      {waits && away > 0 && <p>{many(away, 'device is', 'devices are')} not online now and will do it on return.</p>}
    </section>
  )
}

function Result({ outcome, kind, close }: { readonly outcome: Outcome; readonly kind: BulkKind; close(): void }) {
  return (
    <Dialog
      open
      title={doneTitles[kind] ?? (outcome.waiting > 0 ? 'A second person is asked' : 'The commands are on their way')}
      close={close}
      actions={
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p>
        {isCommand(kind)
          ? `${many(outcome.done, 'command')}. Their progress stands above the list, and on each device’s page.`
          : `${many(outcome.done, 'device')}.`}
      </p>
      {outcome.waiting > 0 && (
        <p className="mt-2">
          For {many(outcome.waiting, 'device')} a second person has to approve it within an hour:{' '}
          <Link to="/approvals" className="rounded font-medium text-accent-text">
            what waits
          </Link>
          .
        </p>
      )}
      {outcome.skipped.size > 0 && (
        <ul className="mt-2 list-disc pl-5 text-muted text-sm">
          {[...outcome.skipped].map(([reason, times]) => (
            <li key={reason}>
              {many(times, 'device')} left out: {skipWords[reason] ?? reason}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
