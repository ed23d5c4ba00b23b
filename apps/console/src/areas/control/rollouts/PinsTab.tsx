import { Pin as PinIcon, Plus } from 'lucide-react'
import { useState } from 'react'
import { type Api, api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { OrganizationField } from '../../tenancy/tenancy/organizations/OrganizationField.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'

type Pin = Awaited<ReturnType<Api['rollouts']['pins']['list']['query']>>['data'][number]

/** The pins of organizations, sites and groups. */
export function PinsTab() {
  const { org } = usePlace()
  const [isCreating, setCreating] = useState(false)
  const blocked = !useCan()('devices:write') && 'You don’t have permission to edit devices'
  const list = useList((client) => client.rollouts.pins.list, org ? { orgId: org } : {})
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" />
      New pin
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex items-center justify-between gap-3">
        <p className="text-muted text-sm">
          Pins of groups override pins of sites, and pins of sites override pins of organizations. A pin never brings a
          version early.
        </p>
        {add}
      </div>
      <ListTable
        label="Pins"
        list={list}
        columns={usePinColumns(blocked)}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={PinIcon} title="No pins yet" action={add}>
            All devices follow rollouts. A pin keeps an organization, a site or a group at a version.
          </NoRows>
        }
      />
      {isCreating && <PinForm close={() => setCreating(false)} />}
    </>
  )
}

function usePinColumns(blocked: string | false): readonly Column<Pin>[] {
  const { orgs, sites } = usePlaceNames()
  const groups = useFullList((client) => client.groups.groups.list, {}).data ?? []
  const again = useApiMutation(
    ({ orgId, siteId, groupId, version, reason }: Pin) =>
      api.rollouts.pins.set.mutate({ orgId, siteId, groupId, version, reason }),
    { refresh: ['rollouts'] },
  )
  const remove = useApiMutation(({ id }: Pin) => api.rollouts.pins.remove.mutate({ id }), {
    refresh: ['rollouts'],
    done: (_answer, pin) => toast('Pin removed', { undo: () => again.mutate(pin, { onError: toastError }) }),
  })
  return [
    {
      id: 'what',
      header: 'Pinned',
      width: 240,
      grow: 2,
      cell: ({ orgId, siteId, groupId }) => (
        <span className="font-medium">
          {groupId
            ? `Group ${groups.find(({ id }) => id === groupId)?.name ?? groupId}`
            : siteId
              ? `Site ${sites.get(siteId) ?? siteId}`
              : `All of ${orgs.get(orgId) ?? 'your organization'}`}
        </span>
      ),
    },
    organizationColumn,
    { id: 'version', header: 'Version', width: 150, cell: ({ version }) => version ?? 'current version' },
    { id: 'reason', header: 'Reason', width: 200, grow: 2, cell: ({ reason }) => reason ?? '' },
    { id: 'created', header: 'Created', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 110,
      cell: (pin) => (
        <Button small kind="quiet" blocked={blocked} onClick={() => remove.mutate(pin, { onError: toastError })}>
          Remove
        </Button>
      ),
    },
  ]
}

function PinForm({ close }: { close(): void }) {
  const me = useMe()
  const place = usePlace()
  const [orgId, setOrgId] = useState(place.org ?? me.orgId ?? '')
  const [part, setPart] = useState('')
  const [version, setVersion] = useState('')
  const [reason, setReason] = useState('')
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data
  const isChosen = { enabled: orgId !== '' }
  const sites = useFullList((client) => client.tenancy.sites.list, { orgId }, isChosen).data ?? []
  const groups = useFullList((client) => client.groups.groups.list, { orgId }, isChosen).data ?? []
  const versions = useFullList((client) => client.agentVersions.versions.list, {}).data ?? []
  const [kind, id = null] = part.split('/')
  const save = useApiMutation(
    () =>
      api.rollouts.pins.set.mutate({
        orgId,
        siteId: kind === 'site' ? id : null,
        groupId: kind === 'group' ? id : null,
        version: version || null,
        reason: reason.trim() || null,
      }),
    {
      refresh: ['rollouts'],
      done: () => {
        toast('Pin created')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="New pin"
      description="Its devices get no other version until you remove the pin."
      verb="Create pin"
      busy={save.isPending}
      blocked={orgId === '' && 'Select an organization'}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <OrganizationField
        organizations={organizations}
        value={orgId}
        onChange={({ target }) => {
          setOrgId(target.value)
          setPart('')
        }}
      />
      <SelectField label="Devices" value={part} onChange={({ target }) => setPart(target.value)}>
        <option value="">All devices</option>
        {sites.map((each) => (
          <option key={each.id} value={`site/${each.id}`}>
            Site {each.name}
          </option>
        ))}
        {groups.map((each) => (
          <option key={each.id} value={`group/${each.id}`}>
            Group {each.name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Version" value={version} onChange={({ target }) => setVersion(target.value)}>
        <option value="">Current version of each device</option>
        {versions.map((each) => (
          <option key={each.version} value={each.version}>
            {each.version}
          </option>
        ))}
      </SelectField>
      <TextField label="Reason" optional value={reason} onChange={({ target }) => setReason(target.value)} />
    </SideForm>
  )
}
