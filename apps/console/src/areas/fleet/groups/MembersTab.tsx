import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MonitorSmartphone, Pin, PinOff } from 'lucide-react'
import { type Api, api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { messageOf, Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { SeenCell, StatusCell } from '../devices/status.tsx'

type Member = Awaited<ReturnType<Api['groups']['members']['list']['query']>>['data'][number]
const limit = 50

/** The devices of a group. */
export function MembersTab({ group }: { readonly group: Group }) {
  const { page = 1 } = useSearch({ from: '/app/groups/$groupId' })
  const navigate = useNavigate({ from: '/groups/$groupId' })
  const answer = useApiQuery((client) => client.groups.members.list, { id: group.id, page, limit }, { keepLast: true })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <DataTable
      label="Members"
      rows={rows}
      columns={useMemberColumns(group)}
      answer={answer}
      total={pagination.total}
      rowId={({ id }) => id}
      empty={
        <Note icon={MonitorSmartphone} title="Nobody is in the group">
          {group.type === 'dynamic'
            ? 'No device matches its filter now. Devices come in by themselves when they do.'
            : '“Add devices” puts some in; so does “Add to a group” for devices selected in the list.'}
        </Note>
      }
      footer={
        <Pages
          {...pagination}
          set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
        />
      }
    />
  )
}

function useMemberColumns(group: Group): readonly Column<Member>[] {
  const blocked = !useCan()('devices:write') && 'You need the permission to change devices and groups'
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const refresh = ['groups']
  const add = useApiMutation(({ id }: Member) => api.groups.members.add.mutate({ id: group.id, deviceIds: [id] }), {
    refresh,
  })
  const remove = useApiMutation(
    (member: Member) => api.groups.members.remove.mutate({ id: group.id, deviceId: member.id }),
    {
      refresh,
      done: (_answer, member) =>
        toast(`${member.hostname} is no longer in the group`, { undo: () => add.mutate(member, { onError: refused }) }),
    },
  )
  const pin = useApiMutation(
    ({ id, pinned }: Member) => api.groups.members[pinned ? 'unpin' : 'pin'].mutate({ id: group.id, deviceId: id }),
    {
      refresh,
      done: (_answer, { hostname, pinned }) =>
        toast(pinned ? `The filter decides about ${hostname} again` : `${hostname} stays in the group`),
    },
  )
  const isStatic = group.type === 'static'
  return [
    {
      id: 'name',
      header: 'Name',
      width: 220,
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
    { id: 'added', header: 'Came in', width: 110, cell: ({ addedAt }) => <Ago at={addedAt} /> },
    {
      id: 'pinned',
      header: 'Stays by',
      width: 100,
      cell: ({ pinned }) => (pinned ? <Badge tone="info">Pinned</Badge> : isStatic ? 'Hand' : 'Filter'),
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 120,
      cell: (member) =>
        isStatic ? (
          <Button small kind="quiet" blocked={blocked} onClick={() => remove.mutate(member, { onError: refused })}>
            Take out
          </Button>
        ) : (
          <Button
            small
            kind="quiet"
            blocked={blocked}
            aria-label={`${member.pinned ? 'Unpin' : 'Pin'} ${member.hostname}`}
            onClick={() => pin.mutate(member, { onError: refused })}
          >
            {member.pinned ? <PinOff aria-hidden className="size-3.5" /> : <Pin aria-hidden className="size-3.5" />}
            {member.pinned ? 'Unpin' : 'Pin'}
          </Button>
        ),
    },
  ]
}
