import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery, useFullList, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Badge } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { AddMembers } from './AddMembers.tsx'
import { GroupFilter } from './GroupFilter.tsx'
import { GroupForm } from './GroupForm.tsx'
import { typeLabels } from './groupTypes.ts'
import { LogTab } from './LogTab.tsx'
import { MembersTab } from './MembersTab.tsx'

const up = { label: 'Groups', to: '/groups' } as const

/** One group: its members, its membership rule and its log. */
export function GroupPage() {
  const { groupId } = useParams({ from: '/app/groups/$groupId' })
  const answer = useApiQuery((client) => client.groups.groups.get, { id: groupId })
  useRefreshOn((event) => event.type === 'device.changed', ['groups'], 5_000)
  if (answer.data) return <Known group={answer.data} />
  return <PendingPage title="Group" up={up} answer={answer} />
}

const tabsOf = ({ type }: Group) => [
  { id: 'members', label: 'Members' },
  ...(type === 'dynamic' ? [{ id: 'filter', label: 'Membership rule' }] : []),
  { id: 'log', label: 'Membership log' },
]

function Known({ group }: { readonly group: Group }) {
  const { tab = 'members' } = useSearch({ from: '/app/groups/$groupId' })
  const { orgs, sites } = usePlaceNames()
  const [asking, setAsking] = useState<'change' | 'remove' | 'add' | null>(null)
  const blocked = !useCan()('devices:write') && 'You don’t have permission to edit devices and groups'
  const { type, name, description, orgId, siteId, deviceCount } = group
  const where = [orgs.get(orgId), siteId && sites.get(siteId)].filter(Boolean).join(', ')
  return (
    <Page
      fill={tab !== 'filter'}
      title={name}
      up={up}
      badge={<Badge tone={type === 'dynamic' ? 'info' : 'plain'}>{typeLabels[type]}</Badge>}
      lead={[many(deviceCount, 'device'), where, description].filter(Boolean).join(' · ')}
      actions={
        <>
          {type === 'static' && (
            <Button kind="primary" blocked={blocked} onClick={() => setAsking('add')}>
              <Plus aria-hidden className="size-4" />
              Add devices
            </Button>
          )}
          <Button blocked={blocked} onClick={() => setAsking('change')}>
            <Pencil aria-hidden className="size-4" />
            Edit group
          </Button>
          <Button blocked={blocked} onClick={() => setAsking('remove')}>
            <Trash2 aria-hidden className="size-4" />
            Delete group
          </Button>
        </>
      }
    >
      <Tabs label="Sections of the group" tabs={tabsOf(group)} open={tab} />
      {tab === 'members' && <MembersTab group={group} />}
      {tab === 'filter' && <GroupFilter group={group} />}
      {tab === 'log' && <LogTab groupId={group.id} />}
      {asking === 'change' && <GroupForm group={group} close={() => setAsking(null)} />}
      {asking === 'add' && <AddMembers group={group} close={() => setAsking(null)} />}
      {asking === 'remove' && <RemoveGroup group={group} close={() => setAsking(null)} />}
    </Page>
  )
}

function RemoveGroup({ group, close }: { readonly group: Group; close(): void }) {
  const navigate = useNavigate()
  const refresh = useRefresh()
  const pins = useFullList((client) => client.rollouts.pins.list, { orgId: group.orgId }).data ?? []
  const pinned = pins.filter(({ groupId }) => groupId === group.id)
  return (
    <Confirm
      open
      danger
      close={close}
      title={`Delete ${group.name}?`}
      verb="Delete group"
      act={async () => {
        await api.groups.groups.remove.mutate({ id: group.id })
        await navigate({ to: '/groups' })
        toast(`${group.name} deleted`)
        await refresh('groups', 'rollouts.pins')
      }}
    >
      <ul className="grid list-disc gap-1 pl-5">
        <li>Its devices ({group.deviceCount}) stay as they are.</li>
        <li>Filters and saved views that use the group no longer match devices by it.</li>
        {pinned.length > 0 && (
          <li className="text-bad-text">
            Its pin to {pinned[0]?.version ?? 'the current version'} is deleted too: the devices follow rollouts again.
          </li>
        )}
        <li>Its membership log is deleted. You cannot undo this.</li>
      </ul>
    </Confirm>
  )
}
