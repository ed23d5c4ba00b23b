import type { DeviceDetail } from '@muster/areas/devices/devices.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, FolderInput, PauseCircle, PlayCircle, Power, RefreshCw, RotateCw, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useChange } from '../../questions.ts'
import { useCan, useMe } from '../../session/session.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { messageOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'
import { MoveForm } from './MoveForm.tsx'
import { useCurrent } from './status.tsx'
import { TagsForm } from './TagsForm.tsx'

const icon = { 'aria-hidden': true, className: 'size-4' } as const
type Asking = 'leave' | 'reboot' | 'shutdown' | 'tags' | 'move'

/** What can be done with a device as a whole. */
export function DeviceActions({ device }: { readonly device: DeviceDetail }) {
  const can = useCan()
  const { scope } = useMe()
  const { status } = useCurrent(device)
  const [asking, setAsking] = useState<Asking | null>(null)
  const { id, autoUpdate } = device
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const inventory = useChange(() => api.devices.commands.create.mutate({ id, type: 'refresh_inventory' }), {
    refresh: ['devices.commands'],
    done: () => toast('The device was asked for its inventory'),
  })
  const updates = useChange((enabled: boolean) => api.devices.autoUpdate.set.mutate({ id, enabled }), {
    refresh: ['devices.devices', 'rollouts.updates'],
    done: (_answer, enabled) =>
      toast(enabled ? 'The agent updates itself again' : 'The agent stays at its version', {
        undo: () => updates.mutate(!enabled, { onError: refused }),
      }),
  })
  const mayCommand =
    (!can('devices:execute') && 'You need the permission to send commands') ||
    (status === 'decommissioned' && 'It is decommissioned') ||
    (status === 'quarantined' && 'It is quarantined and takes no commands') ||
    (status === 'provisioned' && 'It has no agent yet')
  const mayChange = !can('devices:write') && 'You need the permission to change devices'
  const mayMove = mayChange || (scope === 'organization' && 'Only people of the provider move devices')
  const mayRemove =
    (!can('devices:delete') && 'You need the permission to decommission devices') ||
    (status === 'decommissioned' && 'It is decommissioned already')
  const ask = (what: Asking) => () => setAsking(what)
  const done = () => setAsking(null)
  return (
    <>
      <Menu
        trigger={
          <IconButton label="Actions">
            <Ellipsis {...icon} />
          </IconButton>
        }
        groups={[
          [
            {
              label: 'Refresh the inventory',
              icon: <RefreshCw {...icon} />,
              blocked: mayCommand,
              act: () => inventory.mutate(undefined, { onError: refused }),
            },
            { label: 'Restart the machine', icon: <RotateCw {...icon} />, blocked: mayCommand, act: ask('reboot') },
            { label: 'Shut the machine down', icon: <Power {...icon} />, blocked: mayCommand, act: ask('shutdown') },
          ],
          [
            { label: 'Change the tags', icon: <Tags {...icon} />, blocked: mayChange, act: ask('tags') },
            {
              label: autoUpdate ? 'Hold the agent at its version' : 'Let the agent update itself',
              icon: autoUpdate ? <PauseCircle {...icon} /> : <PlayCircle {...icon} />,
              blocked: mayChange,
              act: () => updates.mutate(!autoUpdate, { onError: refused }),
            },
            { label: 'Move', icon: <FolderInput {...icon} />, blocked: mayMove, act: ask('move') },
          ],
          [
            {
              label: 'Decommission',
              icon: <Trash2 {...icon} />,
              danger: true,
              blocked: mayRemove,
              act: ask('leave'),
            },
          ],
        ]}
      />
      <PowerConfirm device={device} kind={asking} close={done} />
      <LeaveConfirm device={device} open={asking === 'leave'} close={done} />
      {asking === 'tags' && <TagsForm device={device} close={done} />}
      {asking === 'move' && <MoveForm device={device} close={done} />}
    </>
  )
}

interface PowerProps {
  readonly device: DeviceDetail
  readonly kind: Asking | null
  close(): void
}
function PowerConfirm({ device, kind, close }: PowerProps) {
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
function LeaveConfirm({ device: { id, hostname }, open, close }: LeaveProps) {
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
