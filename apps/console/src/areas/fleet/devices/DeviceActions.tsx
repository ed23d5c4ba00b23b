import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import {
  Ellipsis,
  FolderInput,
  PauseCircle,
  PlayCircle,
  Power,
  RefreshCw,
  RotateCw,
  ShieldCheck,
  ShieldX,
  Split,
  Tags,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { messageOf } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { LeaveConfirm, LockConfirm, PowerConfirm, QuarantineForm } from './DeviceConfirms.tsx'
import { MoveForm } from './MoveForm.tsx'
import { useCurrent } from './status.tsx'
import { TagsForm } from './TagsForm.tsx'

const icon = { 'aria-hidden': true, className: 'size-4' } as const
type Asking = 'leave' | 'reboot' | 'shutdown' | 'tags' | 'move' | 'quarantine' | 'release' | 'distinct'

/** What can be done with a device as a whole. */
export function DeviceActions({ device }: { readonly device: DeviceDetail }) {
  const can = useCan()
  const { scope } = useMe()
  const { status } = useCurrent(device)
  const [asking, setAsking] = useState<Asking | null>(null)
  const { id, autoUpdate, possibleDuplicates } = device
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const inventory = useApiMutation(() => api.devices.commands.create.mutate({ id, type: 'refresh_inventory' }), {
    refresh: ['devices.commands'],
    done: () => toast('The device was asked for its inventory'),
  })
  const updates = useApiMutation((enabled: boolean) => api.devices.autoUpdate.set.mutate({ id, enabled }), {
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
  const mayQuarantine = mayChange || (status === 'decommissioned' && 'It is decommissioned')
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
            ...(possibleDuplicates.length > 0
              ? [{ label: 'Not the same machine', icon: <Split {...icon} />, blocked: mayChange, act: ask('distinct') }]
              : []),
            status === 'quarantined'
              ? { label: 'Release', icon: <ShieldCheck {...icon} />, blocked: mayChange, act: ask('release') }
              : { label: 'Quarantine', icon: <ShieldX {...icon} />, blocked: mayQuarantine, act: ask('quarantine') },
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
      {asking === 'quarantine' && <QuarantineForm device={device} close={done} />}
      <LockConfirm device={device} kind={asking} close={done} />
      {asking === 'tags' && <TagsForm device={device} close={done} />}
      {asking === 'move' && <MoveForm device={device} close={done} />}
    </>
  )
}
