import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { Link } from '@tanstack/react-router'
import { MonitorSmartphone, Pin, PinOff } from 'lucide-react'
import { type Api, api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { SeenCell, StatusCell } from '../devices/status.tsx'

type Member = Awaited<ReturnType<Api['groups']['members']['list']['query']>>['data'][number]

/** The devices of a group. */
export function MembersTab({ group }: { readonly group: Group }) {
  const list = useList((client) => client.groups.members.list, { id: group.id })
  return (
    <ListTable
      label="Members"
      list={list}
      columns={useMemberColumns(group)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={MonitorSmartphone} title="No devices in this group">
          {group.type === 'dynamic'
            ? 'No device matches the membership rule now. Devices are added as soon as they match.'
            : 'Add devices here, or select devices in the list of devices and add them to the group.'}
        </NoRows>
      }
    />
  )
}

function useMemberColumns(group: Group): readonly Column<Member>[] {
  const blocked = !useCan()('devices:write') && 'You don’t have permission to edit devices and groups'
  const refresh = ['groups']
  const add = useApiMutation(({ id }: Member) => api.groups.members.add.mutate({ id: group.id, deviceIds: [id] }), {
    refresh,
  })
  const remove = useApiMutation(
    (member: Member) => api.groups.members.remove.mutate({ id: group.id, deviceId: member.id }),
    {
      refresh,
      done: (_answer, member) =>
        toast(`${member.hostname} removed from the group`, { undo: () => add.mutate(member, { onError: toastError }) }),
    },
  )
  const pin = useApiMutation(
    ({ id, pinned }: Member) => api.groups.members[pinned ? 'unpin' : 'pin'].mutate({ id: group.id, deviceId: id }),
    {
      refresh,
      done: (_answer, { hostname, pinned }) =>
        toast(pinned ? `${hostname} unpinned` : `${hostname} pinned to the group`),
    },
  )
  const isStatic = group.type === 'static'
  return [
    {
      id: 'name',
      header: 'Name',
      width: 200,
      grow: 2,
      cell: ({ id, displayName, hostname }) => (
        <Link to="/devices/$deviceId" params={{ deviceId: id }} className="rounded font-medium hover:text-accent-text">
          {displayName ?? hostname}
        </Link>
      ),
    },
    { id: 'status', header: 'Status', width: 120, cell: (device) => <StatusCell device={device} /> },
    { id: 'seen', header: 'Last seen', width: 110, cell: (device) => <SeenCell device={device} /> },
    { id: 'agent', header: 'Agent', width: 90, cell: ({ agentVersion }) => agentVersion ?? '–' },
    {
      id: 'tags',
      header: 'Tags',
      width: 140,
      grow: 1,
      cell: ({ tags }) => (
        <span className="flex gap-1">
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      ),
    },
    { id: 'added', header: 'Added', width: 110, cell: ({ addedAt }) => <Ago at={addedAt} /> },
    {
      id: 'pinned',
      header: 'Source',
      width: 100,
      cell: ({ pinned }) => (pinned ? <Badge tone="info">Pinned</Badge> : isStatic ? 'Manual' : 'Filter'),
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 120,
      cell: (member) =>
        isStatic ? (
          <Button
            small
            kind="quiet"
            blocked={blocked}
            aria-label={`Remove ${member.hostname}`}
            onClick={() => remove.mutate(member, { onError: toastError })}
          >
            Remove
          </Button>
        ) : (
          <Button
            small
            kind="quiet"
            blocked={blocked}
            aria-label={`${member.pinned ? 'Unpin' : 'Pin'} ${member.hostname}`}
            onClick={() => pin.mutate(member, { onError: toastError })}
          >
            {member.pinned ? <PinOff aria-hidden className="size-3.5" /> : <Pin aria-hidden className="size-3.5" />}
            {member.pinned ? 'Unpin' : 'Pin'}
          </Button>
        ),
    },
  ]
}
