import type { Secret } from '@muster/areas/control/secrets/secrets.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { SiteLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { SecretForm } from './SecretForm.tsx'

interface Open {
  readonly what: 'edit' | 'value' | 'delete'
  readonly of: Secret
}

const levels = [
  ['partner', 'Partner'],
  ['organization', 'Organization'],
  ['site', 'Site'],
] as const

/** The secrets of scripts. Their values are never shown. */
export function SecretsPage() {
  const { q, level } = useSearch({ from: '/app/secrets' })
  const navigate = useNavigate({ from: '/secrets' })
  const narrow = (next: { q?: string | undefined; level?: typeof level }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org, site } = usePlace()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const list = useList((client) => client.secrets.secrets.list, {
    ...(q && { search: q }),
    ...(level && { level }),
    ...(org && { orgId: org }),
    ...(site && { siteId: site }),
  })
  const remove = useApiMutation((id: string) => api.secrets.secrets.remove.mutate({ id }), {
    refresh: ['secrets'],
    done: () => toast('Secret deleted'),
  })
  const mayWrite = useCan()('settings:write') ? undefined : 'You don’t have permission to edit secrets'
  const { scope } = useMe()
  const blockedFor = ({ orgId }: Secret) =>
    mayWrite ?? (orgId === null && scope === 'organization' ? 'The secret belongs to the partner' : undefined)
  const creation = useNewForm('New secret', mayWrite)
  return (
    <ListPage
      title="Secrets"
      lead="Passwords, tokens and keys for scripts. A value cannot be read again."
      actions={creation.button}
      tools={
        <>
          <SearchField
            label="Search secrets"
            placeholder="Name or description"
            value={q}
            change={(text) => narrow({ q: text || undefined })}
          />
          <Select
            label="Level"
            none="All levels"
            value={level}
            options={levels}
            choose={(next) => narrow({ level: next })}
          />
        </>
      }
      label="Secrets"
      list={list}
      columns={columnsWith(blockedFor, (what, of) => setOpen({ what, of }))}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={LockKeyhole}
          title="No secrets yet"
          action={creation.button}
          clear={(q ?? level) && (() => narrow({ q: undefined, level: undefined }))}
        >
          Create a secret, then select it for a parameter when you run a script.
        </NoRows>
      }
    >
      {creation.isOpen && <SecretForm close={creation.close} />}
      {open?.what === 'edit' && <SecretForm secret={open.of} close={close} />}
      {open?.what === 'value' && <SecretForm secret={open.of} replacesValue close={close} />}
      <Confirm
        danger
        open={open?.what === 'delete'}
        close={close}
        title={`Delete “${open?.of.name ?? ''}”?`}
        verb="Delete secret"
        act={() => remove.mutateAsync(open?.of.id ?? '')}
      >
        Scripts that need it no longer run where no other secret has its name. You cannot undo this.
      </Confirm>
    </ListPage>
  )
}

const columnsWith = (
  blockedFor: (secret: Secret) => string | undefined,
  open: (what: Open['what'], of: Secret) => void,
): readonly Column<Secret>[] => [
  { id: 'name', header: 'Name', width: 180, grow: 2, cell: ({ name }) => <code className="font-medium">{name}</code> },
  { id: 'level', header: 'Level', width: 120, cell: (secret) => <Level of={secret} /> },
  organizationColumn,
  {
    id: 'site',
    header: 'Site',
    width: 130,
    grow: 1,
    cell: ({ orgId, siteId }) => (orgId === null ? '–' : <SiteLink orgId={orgId} siteId={siteId} />),
  },
  {
    id: 'description',
    header: 'Description',
    width: 160,
    grow: 2,
    cell: ({ description }) => <span className="text-muted">{description ?? ''}</span>,
  },
  { id: 'updated', header: 'Changed', width: 110, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    pinned: true,
    cell: (secret) => (
      <RowMenu
        name={secret.name}
        groups={[
          [
            { label: 'Replace value', blocked: blockedFor(secret), act: () => open('value', secret) },
            { label: 'Edit secret', blocked: blockedFor(secret), act: () => open('edit', secret) },
          ],
          [{ label: 'Delete secret', danger: true, blocked: blockedFor(secret), act: () => open('delete', secret) }],
        ]}
      />
    ),
  },
]

function Level({ of: { orgId, siteId, sharedWithOrganizations } }: { readonly of: Secret }) {
  if (siteId !== null) return 'Site'
  if (orgId !== null) return 'Organization'
  return (
    <span className="flex flex-wrap gap-1">
      Partner
      {sharedWithOrganizations && <Badge>Shared</Badge>}
    </span>
  )
}
