import type { Device } from '@muster/areas/devices/devices.contract.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRefresh } from '../../questions.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { AreaField, SelectField, TextField } from '../../ui/fields.tsx'
import { count, many } from '../../ui/quantity.ts'
import { Failure, Refusal } from '../../ui/states.tsx'
import { carryOut, type Order, type Outcome, selectedDevices, skipWords } from './bulk.ts'
import { usePlaceNames } from './columns.tsx'
import type { DeviceFilters } from './deviceList.ts'
import type { DeviceSelection } from './useSelection.ts'

export type BulkKind = Order['kind']
const titles: Record<BulkKind, string> = {
  script: 'Run a script',
  inventory: 'Refresh the inventory',
  tags: 'Change tags',
}
/** From here on the number has to be typed: nobody hits that many by a slip. */
const carefulFrom = 20

interface Props {
  readonly kind: BulkKind
  readonly chosen: DeviceSelection
  readonly filters: DeviceFilters
  close(): void
}

/** One thing for many devices: what, whom exactly it hits, how far it is, what became of it. */
export function BulkDialog({ kind, chosen, filters, close }: Props) {
  const refresh = useRefresh()
  const [read, setRead] = useState(0)
  const [sent, setSent] = useState(0)
  const [typed, setTyped] = useState('')
  const [order, setOrder] = useState<Order>(blank[kind])
  const targets = useQuery({
    queryKey: ['bulk targets', kind],
    queryFn: ({ signal }) => selectedDevices(chosen, filters, setRead, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const devices = targets.data ?? []
  const work = useMutation({
    mutationFn: () => carryOut(order, devices, setSent),
    onSuccess: () => void refresh('devices'),
  })
  if (work.data) return <Result outcome={work.data} kind={kind} close={close} />
  const isCareful = devices.length >= carefulFrom
  const blocked =
    (targets.isPending && 'The devices are being counted') ||
    missing(order) ||
    (isCareful && typed.trim() !== String(devices.length) && `Type ${devices.length} first`)
  const go = (
    <Button
      kind={kind === 'script' ? 'danger' : 'primary'}
      blocked={blocked}
      busy={work.isPending}
      onClick={() => work.mutate()}
    >
      {work.isPending
        ? `${count(sent)} of ${count(devices.length)}`
        : `${titles[kind]} on ${many(devices.length, 'device')}`}
    </Button>
  )
  return (
    <Dialog
      open
      wide
      title={titles[kind]}
      close={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          {go}
        </>
      }
    >
      <div className="grid gap-4">
        <OrderFields order={order} change={setOrder} />
        {targets.isPending ? (
          <p role="status" className="text-muted text-sm">
            Reading the selection: {count(read)} devices so far.
          </p>
        ) : targets.error ? (
          <Failure error={targets.error} again={() => targets.refetch()} />
        ) : (
          <BlastRadius devices={devices} waits={kind !== 'tags'} />
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
  tags: { kind: 'tags', add: [], remove: [] },
}
const missing = (order: Order) =>
  (order.kind === 'script' && order.script.trim() === '' && 'Write the script first') ||
  (order.kind === 'tags' && order.add.length + order.remove.length === 0 && 'Name a tag first')

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
const languages = { bash: 'Bash', sh: 'POSIX shell', python: 'Python' } as const
const languageOf = (given: string) => (given === 'python' || given === 'sh' ? given : 'bash')

function OrderFields({ order, change }: { readonly order: Order; change(order: Order): void }) {
  if (order.kind === 'inventory') return null
  if (order.kind === 'tags')
    return (
      <>
        <TextField
          label="Add"
          optional
          hint="Several with commas between them."
          onChange={({ target }) => change({ ...order, add: tagsOf(target.value) })}
        />
        <TextField
          label="Take away"
          optional
          onChange={({ target }) => change({ ...order, remove: tagsOf(target.value) })}
        />
      </>
    )
  return (
    <>
      <SelectField
        label="Language"
        value={order.language}
        onChange={({ target }) => change({ ...order, language: languageOf(target.value) })}
      >
        {Object.entries(languages).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Script"
        rows={8}
        spellCheck={false}
        className="font-mono"
        value={order.script}
        onChange={({ target }) => change({ ...order, script: target.value })}
      />
    </>
  )
}

const namesShown = 6

function BlastRadius({ devices, waits }: { readonly devices: readonly Device[]; readonly waits: boolean }) {
  const { orgs } = usePlaceNames()
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
          .map(([id, list]) => `${orgs.get(id) ?? 'your organisation'}: ${count(list.length)}`)
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
      title={kind === 'tags' ? 'The tags are changed' : 'The commands are on their way'}
      close={close}
      actions={
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p>
        {kind === 'tags' ? many(outcome.done, 'device') : many(outcome.done, 'command')}.{' '}
        {kind !== 'tags' && 'Each device page shows how it goes.'}
      </p>
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
