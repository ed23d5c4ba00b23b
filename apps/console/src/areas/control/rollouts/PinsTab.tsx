import { useNavigate, useSearch } from '@tanstack/react-router'
import { Pin as PinIcon, Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Api, api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Options, SelectField, TextField } from '../../../ui/fields.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { messageOf, Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { usePlaceNames } from '../../fleet/devices/columns.tsx'

type Pin = Awaited<ReturnType<Api['rollouts']['pins']['list']['query']>>['data'][number]
const limit = 50

/** Which organisations, sites and groups stay with a version. */
export function PinsTab() {
  const { page = 1 } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const { org } = usePlace()
  const [isMaking, setMaking] = useState(false)
  const blocked = !useCan()('devices:write') && 'You need the permission to change devices'
  const answer = useApiQuery(
    (client) => client.rollouts.pins.list,
    { page, limit, ...(org && { orgId: org }) },
    { keepLast: true },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setMaking(true)}>
      <Plus aria-hidden className="size-4" />
      New pin
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex items-center justify-between gap-3">
        <p className="text-muted text-sm">
          A group’s pin counts before a site’s, a site’s before an organisation’s. A pin holds back; it never brings a
          version early.
        </p>
        {add}
      </div>
      <DataTable
        label="Pins"
        rows={rows}
        columns={usePinColumns(blocked)}
        answer={answer}
        total={pagination.total}
        rowId={({ id }) => id}
        empty={
          <Note icon={PinIcon} title="Nothing is pinned" action={add}>
            All devices follow rollouts. A pin keeps an organisation, a site or a group with a version.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {isMaking && <PinForm close={() => setMaking(false)} />}
    </>
  )
}

function usePinColumns(blocked: string | false): readonly Column<Pin>[] {
  const { orgs, sites } = usePlaceNames()
  const groups = useFullList((client) => client.groups.groups.list, {}).data ?? []
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const again = useApiMutation(
    ({ orgId, siteId, groupId, version, reason }: Pin) =>
      api.rollouts.pins.set.mutate({ orgId, siteId, groupId, version, reason }),
    { refresh: ['rollouts'] },
  )
  const remove = useApiMutation(({ id }: Pin) => api.rollouts.pins.remove.mutate({ id }), {
    refresh: ['rollouts'],
    done: (_answer, pin) => toast('It follows rollouts again', { undo: () => again.mutate(pin, { onError: refused }) }),
  })
  return [
    {
      id: 'what',
      header: 'What stays',
      width: 240,
      grow: 2,
      cell: ({ orgId, siteId, groupId }) => (
        <span className="font-medium">
          {groupId
            ? `Group ${groups.find(({ id }) => id === groupId)?.name ?? groupId}`
            : siteId
              ? `Site ${sites.get(siteId) ?? siteId}`
              : `All of ${orgs.get(orgId) ?? 'your organisation'}`}
        </span>
      ),
    },
    { id: 'org', header: 'Organisation', width: 160, grow: 1, cell: ({ orgId }) => orgs.get(orgId) ?? '–' },
    { id: 'version', header: 'With', width: 150, cell: ({ version }) => version ?? 'what it runs' },
    { id: 'reason', header: 'Why', width: 200, grow: 2, cell: ({ reason }) => reason ?? '' },
    { id: 'made', header: 'Since', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 110,
      cell: (pin) => (
        <Button small kind="quiet" blocked={blocked} onClick={() => remove.mutate(pin, { onError: refused })}>
          Take away
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
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data ?? []
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
        toast('The pin is set')
        close()
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title="New pin"
      description="Its devices are offered no other version until the pin is taken away."
      verb="Pin it"
      busy={save.isPending}
      blocked={orgId === '' && 'Choose an organisation first'}
      error={save.error}
      submit={submit}
    >
      <SelectField
        label="Organisation"
        value={orgId}
        onChange={({ target }) => {
          setOrgId(target.value)
          setPart('')
        }}
      >
        <option value="">Choose</option>
        <Options of={organizations} />
      </SelectField>
      <SelectField label="Of it" value={part} onChange={({ target }) => setPart(target.value)}>
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
        <option value="">What each device runs now</option>
        {versions.map((each) => (
          <option key={each.version} value={each.version}>
            {each.version}
          </option>
        ))}
      </SelectField>
      <TextField label="Why" optional value={reason} onChange={({ target }) => setReason(target.value)} />
    </SideForm>
  )
}
