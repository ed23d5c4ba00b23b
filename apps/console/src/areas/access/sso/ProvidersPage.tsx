import type { Provider } from '@muster/areas/access/sso/providers.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Fingerprint, Plus } from 'lucide-react'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { NoRows } from '../../../ui/NoRows.tsx'
import { Ago } from '../../../ui/time.tsx'
import { useList } from '../../../ui/useList.ts'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { ProviderForm } from './ProviderForm.tsx'
import { fullAccessRequired, ProviderBadge } from './status.tsx'

/** The identity providers of all organizations that the user can access, or of the selected one. */
export function ProvidersPage() {
  const { org, form } = useSearch({ from: '/app/sso' })
  const navigate = useNavigate({ from: '/sso' })
  const me = useMe()
  const list = useList((api) => api.sso.providers.list, org ? { orgId: org } : {})
  const setForm = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const add = (
    <Button kind="primary" blocked={useCan()('*:*') ? undefined : fullAccessRequired} onClick={() => setForm('new')}>
      <Plus aria-hidden className="size-4" />
      Add identity provider
    </Button>
  )
  return (
    <ListPage
      title="Single sign-on"
      lead="Users sign in with the account of their organization."
      actions={add}
      label="Identity providers"
      list={list}
      columns={me.scope === 'organization' ? columns.filter(({ id }) => id !== 'org') : columns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Fingerprint} title="No identity providers yet" action={add}>
          Connect Microsoft Entra ID, Google Workspace, Okta or another OpenID Connect provider.
        </NoRows>
      }
    >
      {form === 'new' && <ProviderForm orgId={org ?? me.orgId ?? undefined} close={() => setForm(undefined)} />}
    </ListPage>
  )
}

const columns: readonly Column<Provider>[] = [
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
  {
    id: 'org',
    header: 'Organization',
    width: 160,
    grow: 1,
    cell: ({ orgId }) => <OrganizationLink orgId={orgId} />,
  },
  {
    id: 'issuer',
    header: 'Issuer',
    width: 200,
    grow: 2,
    cell: ({ issuer }) => <code className="text-xs">{issuer}</code>,
  },
  {
    id: 'enforced',
    header: 'SSO required',
    width: 120,
    cell: ({ enforceSSO }) => (enforceSSO ? 'Yes' : <span className="text-muted">No</span>),
  },
  {
    id: 'scim',
    header: 'SCIM',
    width: 140,
    cell: ({ scim }) =>
      scim.tokenPrefix === null ? (
        <span className="text-muted">Off</span>
      ) : (
        <>
          used <Ago at={scim.lastUsedAt} />
        </>
      ),
  },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]
