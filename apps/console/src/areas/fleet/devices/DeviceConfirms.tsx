import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useRefresh } from '../../../queries.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { AreaField } from '../../../ui/fields.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'

interface PowerProps {
  readonly device: DeviceDetail
  readonly kind: string | null
  close(): void
}
/** Restarting a machine or shutting it down. */
export function PowerConfirm({ device, kind, close }: PowerProps) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const isReboot = kind === 'reboot'
  if (kind !== 'reboot' && kind !== 'shutdown') return null
  return (
    <Confirm
      open
      danger
      close={close}
      title={`${isReboot ? 'Restart' : 'Shut down'} ${device.hostname}?`}
      verb={isReboot ? 'Restart it' : 'Shut it down'}
      {...(isReboot ? {} : { type: device.hostname })}
      act={async () => {
        const { id } = await api.devices.commands.create.mutate({ id: device.id, type: kind })
        await navigate({ search: (now) => ({ org: now.org, site: now.site, tab: 'commands', command: id }) })
      }}
    >
      {isReboot
        ? 'Whoever works on it is interrupted. It comes back by itself. If it is away, the command waits ten minutes for it.'
        : 'Whoever works on it is interrupted, and nobody can start it again from here. If it is away, the command waits ten minutes for it.'}
    </Confirm>
  )
}

interface LeaveProps {
  readonly device: DeviceDetail
  readonly open: boolean
  close(): void
}
/** The end of a device in the fleet. */
export function LeaveConfirm({ device: { id, hostname }, open, close }: LeaveProps) {
  const navigate = useNavigate()
  return (
    <Confirm
      danger
      open={open}
      close={close}
      title={`Decommission ${hostname}?`}
      verb="Decommission"
      type={hostname}
      act={async () => {
        await api.lifecycle.lifecycle.remove.mutate({ id })
        await navigate({ to: '/devices' })
        toast(`${hostname} is decommissioned`)
      }}
    >
      Its certificate ends at once and its open commands are called off. Its history stays. To come back it has to be
      enrolled again.
    </Confirm>
  )
}

/** Ending a quarantine, and telling two devices apart. */
export function LockConfirm({ device, kind, close }: PowerProps) {
  const refresh = useRefresh()
  if (kind !== 'release' && kind !== 'distinct') return null
  const isRelease = kind === 'release'
  const others = device.possibleDuplicates.map(({ hostname }) => hostname).join(', ')
  return (
    <Confirm
      open
      close={close}
      title={isRelease ? `Release ${device.hostname}?` : `Is ${device.hostname} another machine?`}
      verb={isRelease ? 'Release it' : 'They are different'}
      act={async () => {
        if (isRelease) await api.lifecycle.lifecycle.release.mutate({ id: device.id })
        else await api.lifecycle.lifecycle.dismissDuplicates.mutate({ id: device.id })
        toast(isRelease ? `${device.hostname} is released` : 'They are taken for different machines')
        await refresh('devices')
      }}
    >
      {isRelease
        ? 'Whichever machine comes next with its key is the device. Make sure first that only the right one has it.'
        : `It says that it is the same machine as ${others}. Nothing is said of that any more.`}
    </Confirm>
  )
}

/** Locking a device out, with the reason that others will read. */
export function QuarantineForm({ device, close }: Omit<LeaveProps, 'open'>) {
  const [reason, setReason] = useState('')
  const lock = useApiMutation(
    () => api.lifecycle.lifecycle.quarantine.mutate({ id: device.id, reason: reason.trim() }),
    {
      refresh: ['devices'],
      done: () => {
        toast(`${device.hostname} is quarantined`)
        close()
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    lock.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title={`Quarantine ${device.hostname}`}
      description="Its connections are closed and no other is accepted until somebody releases it. The machine itself goes on."
      verb="Quarantine it"
      busy={lock.isPending}
      blocked={reason.trim() === '' && 'Say why first: others will read it'}
      error={lock.error}
      submit={submit}
    >
      <AreaField autoFocus label="Why" value={reason} onChange={({ target }) => setReason(target.value)} />
    </SideForm>
  )
}
