import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
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
  SquareTerminal,
  Tags,
  Trash2,
} from 'lucide-react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { Button, buttonClass, IconButton } from '../../../../ui/button/Button.tsx'
import { Menu } from '../../../../ui/button/Menu.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { toastError } from '../../../../ui/page/states.tsx'
import { WatchButton } from '../../../watch/notifications/WatchButton.tsx'
import { inabilityWords } from '../ability.ts'
import { useCurrent } from '../status.tsx'
import { LeaveConfirm, LockConfirm, PowerConfirm, QuarantineForm } from './DeviceConfirms.tsx'
import { MoveForm } from './MoveForm.tsx'
import { TagsForm } from './TagsForm.tsx'

const icon = { 'aria-hidden': true, className: 'size-4' } as const

const askable = ['leave', 'reboot', 'shutdown', 'tags', 'move', 'quarantine', 'release', 'distinct'] as const
type Asking = (typeof askable)[number]

/** The actions of a device: the usual ones as buttons, the others in a menu. */
export function DeviceActions({ device }: { readonly device: DeviceDetail }) {
  const { status } = useCurrent(device)
  const search = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate()
  const { id, autoUpdate, possibleDuplicates } = device
  const inventory = useApiMutation(() => api.devices.commands.create.mutate({ id, type: 'refresh_inventory' }), {
    refresh: ['devices.commands'],
    done: () => toast('Inventory refresh requested'),
  })
  const updates = useApiMutation((enabled: boolean) => api.devices.autoUpdate.set.mutate({ id, enabled }), {
    refresh: ['devices.devices', 'rollouts.updates'],
    done: (_answer, enabled) =>
      toast(enabled ? 'Auto-update turned on' : 'Auto-update turned off', {
        undo: () => updates.mutate(!enabled, { onError: toastError }),
      }),
  })
  const blockedBy = useBlocked(device, status)
  const { reboot: mayRestart, shutdown: mayShutDown, refresh: mayCommand, tags: mayChange } = blockedBy
  const open = askable.find((each) => each === search.ask && !blockedBy[each]) ?? null
  // From wherever the action has led.
  const set = (what: Asking | undefined) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ask: what }), replace: true })
  const ask = (what: Asking) => () => set(what)
  const done = () => set(undefined)
  return (
    <>
      {status === 'offline' && <WatchButton deviceId={id} />}
      <Link
        from="/devices/$deviceId"
        search={({ org, site }) => ({ org, site, tab: 'run' })}
        className={buttonClass('plain')}
      >
        <SquareTerminal {...icon} />
        Run script
      </Link>
      <Button
        blocked={mayCommand}
        busy={inventory.isPending}
        onClick={() => inventory.mutate(undefined, { onError: toastError })}
      >
        <RefreshCw {...icon} />
        Refresh inventory
      </Button>
      <Button blocked={mayRestart} onClick={ask('reboot')}>
        <RotateCw {...icon} />
        Restart
      </Button>
      <Menu
        trigger={
          <IconButton label="More actions" kind="plain">
            <Ellipsis {...icon} />
          </IconButton>
        }
        groups={[
          [{ label: 'Shut down', icon: <Power {...icon} />, blocked: mayShutDown, act: ask('shutdown') }],
          [
            { label: 'Edit tags', icon: <Tags {...icon} />, blocked: mayChange, act: ask('tags') },
            {
              label: autoUpdate ? 'Turn off auto-update' : 'Turn on auto-update',
              icon: autoUpdate ? <PauseCircle {...icon} /> : <PlayCircle {...icon} />,
              blocked: mayChange,
              act: () => updates.mutate(!autoUpdate, { onError: toastError }),
            },
            { label: 'Move', icon: <FolderInput {...icon} />, blocked: blockedBy.move, act: ask('move') },
          ],
          [
            ...(possibleDuplicates.length > 0
              ? [{ label: 'Dismiss duplicate', icon: <Split {...icon} />, blocked: mayChange, act: ask('distinct') }]
              : []),
            status === 'quarantined'
              ? { label: 'Release', icon: <ShieldCheck {...icon} />, blocked: mayChange, act: ask('release') }
              : {
                  label: 'Quarantine',
                  icon: <ShieldX {...icon} />,
                  blocked: blockedBy.quarantine,
                  act: ask('quarantine'),
                },
            {
              label: 'Decommission',
              icon: <Trash2 {...icon} />,
              danger: true,
              blocked: blockedBy.leave,
              act: ask('leave'),
            },
          ],
        ]}
      />
      <PowerConfirm device={device} kind={open} close={done} />
      <LeaveConfirm device={device} open={open === 'leave'} close={done} />
      {open === 'quarantine' && <QuarantineForm device={device} close={done} />}
      <LockConfirm device={device} kind={open} close={done} />
      {open === 'tags' && <TagsForm device={device} close={done} />}
      {open === 'move' && <MoveForm device={device} close={done} />}
    </>
  )
}

/** Why an action is not possible; false when it is. */
function useBlocked(
  device: DeviceDetail,
  status: DeviceDetail['status'],
): Readonly<Record<Asking | 'refresh', string | false>> {
  const can = useCan()
  const { scope } = useMe()
  const mayCommand =
    (!can('devices:execute') && 'You don’t have permission to send commands') ||
    (status === 'decommissioned' && 'The device is decommissioned') ||
    (status === 'quarantined' && 'The device is quarantined and takes no commands') ||
    (status === 'provisioned' && 'The device has no agent yet')
  const mayChange = !can('devices:write') && 'You don’t have permission to edit devices'
  const mayQuarantine = mayChange || (status === 'decommissioned' && 'The device is decommissioned')
  const mayMove = mayChange || (scope === 'organization' && 'Only your provider can move devices')
  const mayRemove =
    (!can('devices:delete') && 'You don’t have permission to decommission devices') ||
    (status === 'decommissioned' && 'The device is already decommissioned')
  return {
    leave: mayRemove,
    refresh: mayCommand,
    reboot: mayCommand || (inabilityWords(device, 'reboot') ?? false),
    shutdown: mayCommand || (inabilityWords(device, 'shutdown') ?? false),
    tags: mayChange,
    move: mayMove,
    quarantine: mayQuarantine,
    release: mayChange,
    distinct: mayChange,
  }
}
