import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefresh } from '../../../../queries.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { Dialog } from '../../../../ui/dialog/Dialog.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { Failure, Refusal } from '../../../../ui/page/states.tsx'
import { count, many } from '../../../../ui/text/quantity.ts'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { carryOut, isCommand, type Order, type Outcome, selectedDevices, skipWords } from './bulk.ts'
import { OrderFields } from './OrderFields.tsx'
import type { DeviceSelection } from './useSelection.ts'

export type BulkKind = Order['kind']
export const bulkTitles: Record<BulkKind, string> = {
  script: 'Run script',
  inventory: 'Refresh inventory',
  reboot: 'Restart',
  tags: 'Edit tags',
  group: 'Add to group',
}
/** From this number on, the user types it to confirm. */
const carefulFrom = 20

interface Props {
  readonly kind: BulkKind
  readonly chosen: DeviceSelection
  readonly filters: DeviceFilters
  /** The commands were sent; their progress has this id. */
  sent(batchId: string): void
  close(): void
}

/** One action for many devices: its input, the devices it affects, its progress and its result. */
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
    (targets.isPending && 'Counting devices') ||
    missing(order) ||
    (isCareful && typed.trim() !== String(devices.length) && `Type ${devices.length} first`)
  const verb = `${bulkTitles[kind]} on ${many(devices.length, 'device')}`
  return (
    <Dialog
      open
      wide
      title={bulkTitles[kind]}
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
          >{`Reading the selection: ${many(read ?? 0, 'device')} so far`}</p>
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
  (order.kind === 'script' && order.script.trim() === '' && 'Enter a script') ||
  (order.kind === 'group' && order.groupId === '' && 'Select a group') ||
  (order.kind === 'tags' && order.add.length + order.remove.length === 0 && 'Enter a tag')

const doneTitles: Partial<Record<BulkKind, string>> = {
  tags: 'Tags updated',
  group: 'Devices added to the group',
}
const namesShown = 6

function BlastRadius({ devices, waits }: { readonly devices: readonly Device[]; readonly waits: boolean }) {
  const perOrg = Map.groupBy(devices, ({ orgId }) => orgId)
  const away = devices.filter(({ status }) => status !== 'online').length
  const names = devices.slice(0, namesShown).map(({ displayName, hostname }) => displayName ?? hostname)
  return (
    <section
      aria-label="Affected devices"
      className="grid gap-1 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn-text"
    >
      <p className="font-semibold">
        {many(devices.length, 'device')} in {many(perOrg.size, 'organization')}.
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
      {waits && away > 0 && <p>{many(away, 'device is', 'devices are')} offline and will run it on reconnect.</p>}
    </section>
  )
}

function Result({ outcome, kind, close }: { readonly outcome: Outcome; readonly kind: BulkKind; close(): void }) {
  return (
    <Dialog
      open
      title={doneTitles[kind] ?? (outcome.waiting > 0 ? 'Waiting for approval' : 'Commands sent')}
      close={close}
      actions={
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p>
        {isCommand(kind)
          ? `${many(outcome.done, 'command')} sent. The progress is shown above the list.`
          : `${many(outcome.done, 'device')} updated.`}
      </p>
      {outcome.batchId !== null && (
        <p className="mt-2">
          <Link
            to="/runs/$batchId"
            params={{ batchId: outcome.batchId }}
            className="rounded font-medium text-accent-text"
          >
            View results
          </Link>
        </p>
      )}
      {outcome.waiting > 0 && (
        <p className="mt-2">
          A second person has to approve it for {many(outcome.waiting, 'device')} within an hour:{' '}
          <Link to="/approvals" className="rounded font-medium text-accent-text">
            show approvals
          </Link>
          .
        </p>
      )}
      {outcome.skipped.size > 0 && (
        <ul className="mt-2 list-disc pl-5 text-muted text-sm">
          {[...outcome.skipped].map(([reason, times]) => (
            <li key={reason}>
              {many(times, 'device')} skipped: {skipWords[reason] ?? reason}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
