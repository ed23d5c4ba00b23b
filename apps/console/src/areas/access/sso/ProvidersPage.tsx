import type { Provider } from '@muster/areas/access/sso/providers.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Fingerprint, Plus } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { usePlaceNames } from '../../fleet/devices/columns.tsx'
import { ProviderForm } from './ProviderForm.tsx'
import { needsEverything, ProviderBadge } from './status.tsx'

const limit = 50

/** The identity providers of the organisations in reach, or of the chosen one. */
export function ProvidersPage() {
  const { page = 1, org, form } = useSearch({ from: '/app/sso' })
  const navigate = useNavigate({ from: '/sso' })
  const me = useMe()
  const { orgs } = usePlaceNames()
  const answer = useApiQuery(
    (api) => api.sso.providers.list,
    { page, limit, ...(org && { orgId: org }) },
    { keepLast: true },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const open = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const add = (
    <Button kind="primary" blocked={useCan()('*:*') ? undefined : needsEverything} onClick={() => open('new')}>
      <Plus aria-hidden className="size-4" />
      Add a provider
    </Button>
  )
  return (
    <Page
      fill
      title="Single sign-on"
      lead="Through an identity provider the people of an organisation sign in with the account that they have already."
      actions={add}
    >
      <DataTable
        label="Identity providers"
        columns={columnsWith(me.scope === 'organization' ? null : orgs)}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={Fingerprint} title="No identity providers yet" action={add}>
            Connect Microsoft Entra ID, Google Workspace, Okta or any other that speaks OpenID Connect.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {form === 'new' && <ProviderForm orgId={org ?? me.orgId ?? undefined} close={() => open(undefined)} />}
    </Page>
  )
}

const columnsWith = (orgs: ReadonlyMap<string, string> | null): readonly Column<Provider>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to="/sso/$providerId" params={{ providerId: id }} className="rounded font-medium hover:text-accent-text">
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 100, cell: ({ status }) => <ProviderBadge status={status} /> },
  ...(orgs
    ? [
        {
          id: 'org',
          header: 'Organisation',
          width: 160,
          grow: 1,
          cell: ({ orgId }: Provider) => orgs.get(orgId) ?? '–',
        },
      ]
    : []),
  {
    id: 'issuer',
    header: 'Issuer',
    width: 240,
    grow: 2,
    cell: ({ issuer }) => <code className="text-xs">{issuer}</code>,
  },
  {
    id: 'enforced',
    header: 'Only way in',
    width: 110,
    cell: ({ enforceSSO }) => (enforceSSO ? 'Yes' : <span className="text-muted">No</span>),
  },
  {
    id: 'scim',
    header: 'SCIM',
    width: 150,
    cell: ({ scim }) =>
      scim.tokenPrefix === null ? (
        <span className="text-muted">Off</span>
      ) : (
        <>
          used <Ago at={scim.lastUsedAt} />
        </>
      ),
  },
  { id: 'since', header: 'Since', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]
